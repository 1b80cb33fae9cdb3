import type { FieldWeights, KeywordDocument } from '../../src/keyword/keyword-index.js';
import type { Question, QuestionWord } from '../../src/keyword/question.js';
import { type FieldScores, SCORED_FIELDS, type ScoredField } from '../../src/result.js';
import { readWords } from '../../src/text/words.js';
import { asItStands } from './naive-keyword-search.js';

interface NaiveDocument {
  /** All terms by field, with repetitions; the parts of words in PascalCase with the description. */
  readonly terms: Readonly<Record<ScoredField, readonly string[]>>;
  readonly lengths: Readonly<Record<ScoredField, number>>;
}

/** BM25 over several fields as it is defined, by going through all documents. */
export class NaiveRanking {
  readonly #documents: readonly NaiveDocument[];
  readonly #words: readonly QuestionWord[];
  readonly #idfs: readonly number[];
  readonly #averages: Readonly<Record<ScoredField, number>>;

  constructor(documents: readonly KeywordDocument[], question: Question) {
    this.#documents = documents.map(readDocument);
    this.#words = question.looseWords;
    const averageOf = (field: ScoredField): number =>
      this.#documents.reduce((sum, { lengths }) => sum + lengths[field], 0) / documents.length;
    this.#averages = byField(averageOf);
    this.#idfs = this.#words.map((word) => {
      const having = this.#documents.filter(({ terms }) =>
        SCORED_FIELDS.some((field) => frequencyOf(word, terms[field]) > 0),
      ).length;
      return word.weight * Math.log(1 + (documents.length - having + 0.5) / (having + 0.5));
    });
  }

  get highest(): number {
    return this.#idfs.reduce((sum, idf) => sum + idf * (1.2 + 1), 0);
  }

  fieldsOf(number: number): FieldScores {
    return byField((field) => this.#sumOver((word) => this.#amountOf(word, number, field)));
  }

  coverageOf(number: number): number {
    const { terms } = this.#documents[number] as NaiveDocument;
    const sum = (idfs: readonly number[]): number => idfs.reduce((all, idf) => all + idf, 0);
    const covered = this.#idfs.filter((_, w) =>
      SCORED_FIELDS.some((field) => frequencyOf(this.#words[w] as QuestionWord, terms[field]) > 0),
    );
    return this.#words.length === 0 ? 0 : sum(covered) / sum(this.#idfs);
  }

  scoreOf(number: number, weights: FieldWeights): number {
    return this.#sumOver((word) =>
      SCORED_FIELDS.reduce((sum, field) => sum + weights[field] * this.#amountOf(word, number, field), 0),
    );
  }

  fileTermsOf(number: number): number {
    return (this.#documents[number] as NaiveDocument).lengths.files;
  }

  /** Sum over the words, each by how much there is of it. */
  #sumOver(amountOf: (word: QuestionWord) => number): number {
    return this.#words.reduce((sum, word, w) => {
      const amount = amountOf(word);
      return sum + ((this.#idfs[w] as number) * (1.2 + 1) * amount) / (1.2 + amount);
    }, 0);
  }

  #amountOf(word: QuestionWord, number: number, field: ScoredField): number {
    const { terms, lengths } = this.#documents[number] as NaiveDocument;
    const frequency = frequencyOf(word, terms[field]);
    return frequency === 0 ? 0 : frequency / (1 - 0.6 + (0.6 * lengths[field]) / this.#averages[field]);
  }
}

function byField<T>(value: (field: ScoredField) => T): Record<ScoredField, T> {
  const entries = SCORED_FIELDS.map((field) => [field, value(field)] as const);
  return Object.fromEntries(entries) as Record<ScoredField, T>;
}

function answers(word: QuestionWord, term: string): boolean {
  return word.terms.some((asked) => asItStands(asked, term));
}

function frequencyOf(word: QuestionWord, terms: readonly string[]): number {
  return terms.filter((term) => answers(word, term)).length;
}

function readDocument({ name, author, labels, description, files }: KeywordDocument): NaiveDocument {
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
    files: [...termsOf(fileTexts, false), ...termsOf(fileTexts, true)],
  };
  const distinct = (terms: readonly string[]): number => new Set(terms).size;
  const lengths = byField((field) => distinct(core[field]));
  return {
    terms: { ...core, description: [...core.description, ...inner] },
    lengths: { ...lengths, description: lengths.description + distinct(inner) },
  };
}
