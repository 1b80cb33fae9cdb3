import { readWords } from '../../src/core/index.js';
import type { FieldWeights } from '../../src/keyword/bm25.js';
import type { KeywordDocument } from '../../src/keyword/keyword-index.js';
import type { QuestionWord } from '../../src/keyword/question.js';
import { type FieldScores, SCORED_FIELDS, type ScoredField } from '../../src/result.js';
import { type Accepts, asItStands } from './as-it-stands.js';

interface NaiveDocument {
  /** The terms that count by field, with repetitions; the parts of words in PascalCase with the description. */
  readonly terms: Readonly<Record<ScoredField, readonly string[]>>;
  /** In distinct terms, whether they count or not. */
  readonly lengths: Readonly<Record<ScoredField, number>>;
}

/** BM25F as it is defined, by going through all documents. */
export class NaiveBm25f {
  readonly #documents: readonly NaiveDocument[];
  readonly #words: readonly QuestionWord[];
  readonly #accepts: Accepts;
  readonly #idfs: readonly number[];
  readonly #averages: Readonly<Record<ScoredField, number>>;

  /** @param everywhere whether file text and the parts of words in PascalCase count */
  constructor(
    documents: readonly KeywordDocument[],
    words: readonly QuestionWord[],
    accepts: Accepts = asItStands,
    everywhere = true,
  ) {
    this.#documents = readDocuments(documents, everywhere);
    this.#words = words;
    this.#accepts = accepts;
    const averageOf = (field: ScoredField): number =>
      this.#documents.reduce((sum, { lengths }) => sum + lengths[field], 0) / documents.length;
    this.#averages = byField(averageOf);
    this.#idfs = this.#words.map((word) => {
      const having = this.#documents.filter(({ terms }) =>
        SCORED_FIELDS.some((field) => this.#frequencyOf(word, terms[field]) > 0),
      ).length;
      return word.weight * Math.log(1 + (documents.length - having + 0.5) / (having + 0.5));
    });
  }

  get highest(): number {
    return this.#idfs.reduce((sum, idf) => sum + idf * (1.2 + 1), 0);
  }

  fieldsOf(document: number): FieldScores {
    return byField((field) => this.#sumOver((word) => this.#amountOf(word, document, field)));
  }

  coverageOf(document: number): number {
    const { terms } = this.#documents[document] as NaiveDocument;
    const sum = (idfs: readonly number[]): number => idfs.reduce((all, idf) => all + idf, 0);
    const covered = this.#idfs.filter((_, w) =>
      SCORED_FIELDS.some((field) => this.#frequencyOf(this.#words[w] as QuestionWord, terms[field]) > 0),
    );
    return this.#words.length === 0 ? 0 : sum(covered) / sum(this.#idfs);
  }

  scoreOf(document: number, weights: FieldWeights): number {
    return this.#sumOver((word) =>
      SCORED_FIELDS.reduce((sum, field) => sum + weights[field] * this.#amountOf(word, document, field), 0),
    );
  }

  fileTermsOf(document: number): number {
    return (this.#documents[document] as NaiveDocument).lengths.files;
  }

  /** Sum over the words, each by its amount. */
  #sumOver(amountOf: (word: QuestionWord) => number): number {
    return this.#words.reduce((sum, word, w) => {
      const amount = amountOf(word);
      return sum + ((this.#idfs[w] as number) * (1.2 + 1) * amount) / (1.2 + amount);
    }, 0);
  }

  #amountOf(word: QuestionWord, document: number, field: ScoredField): number {
    const { terms, lengths } = this.#documents[document] as NaiveDocument;
    const frequency = this.#frequencyOf(word, terms[field]);
    return frequency === 0 ? 0 : frequency / (1 - 0.6 + (0.6 * lengths[field]) / this.#averages[field]);
  }

  #frequencyOf(word: QuestionWord, terms: readonly string[]): number {
    return terms.filter((term) => word.terms.some((asked) => this.#accepts(asked, term))).length;
  }
}

function byField<T>(value: (field: ScoredField) => T): Record<ScoredField, T> {
  const entries = SCORED_FIELDS.map((field) => [field, value(field)] as const);
  return Object.fromEntries(entries) as Record<ScoredField, T>;
}

/** Of the catalogues that were read: a test asks each of them several questions. */
const known = { everywhere: new WeakMap<object, NaiveDocument[]>(), core: new WeakMap<object, NaiveDocument[]>() };

function readDocuments(documents: readonly KeywordDocument[], everywhere: boolean): NaiveDocument[] {
  const kept = everywhere ? known.everywhere : known.core;
  const read = kept.get(documents) ?? documents.map((document) => readDocument(document, everywhere));
  kept.set(documents, read);
  return read;
}

function readDocument(
  { name, author, labels, description, files }: KeywordDocument,
  everywhere: boolean,
): NaiveDocument {
  const termsOf = (texts: readonly string[], inner: boolean): string[] =>
    texts
      .flatMap(readWords)
      .filter((token) => (token.kind === 'inner') === inner)
      .map((token) => token.term);
  const inner = termsOf([name, author, ...labels, description], true);
  const fileTexts = files.flatMap(({ text }) => (text === description ? [] : [text]));
  const core = {
    name: termsOf([name], false),
    author: termsOf([author], false),
    labels: termsOf(labels, false),
    description: termsOf([description], false),
  };
  const all = {
    ...core,
    description: [...core.description, ...inner],
    files: [...termsOf(fileTexts, false), ...termsOf(fileTexts, true)],
  };
  const distinct = (terms: readonly string[]): number => new Set(terms).size;
  return {
    terms: everywhere ? all : { ...core, files: [] },
    lengths: {
      ...byField((field) => distinct(all[field])),
      description: distinct(core.description) + distinct(inner),
    },
  };
}
