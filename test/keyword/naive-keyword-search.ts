import {
  foldAccents,
  foldCase,
  isPartKind,
  isUnspacedTerm,
  normaliseText,
  readWords,
  stemOf,
  type Token,
} from '../../src/core/index.js';
import {
  FIELD_WEIGHTS,
  type FieldWeights,
  type KeywordDocument,
  type Question,
  type QuestionWord,
} from '../../src/keyword/index.js';
import { type FieldScores, type KeywordStep, SCORED_FIELDS, type ScoredField } from '../../src/result.js';

export interface NaiveAnswer {
  readonly step: KeywordStep | undefined;
  readonly words: readonly QuestionWord[];
  readonly numbers: number[];
  /** Beside each number. */
  readonly scores: number[];
  readonly accepts: (term: string) => boolean;
}

interface NaiveDocument {
  readonly name: string;
  /** Tokens of each text by itself. */
  readonly core: readonly (readonly Token[])[];
  readonly files: readonly (readonly Token[])[];
}

/**
 * The keyword search as the decisions state it, by going through all documents for each word of each step. No index,
 * no shortcuts: the yardstick for those that have them.
 */
export class NaiveKeywordSearch {
  readonly #source: readonly KeywordDocument[];
  readonly #documents: NaiveDocument[];
  readonly #vocabulary: Set<string>;

  constructor(documents: readonly KeywordDocument[]) {
    this.#source = documents;
    this.#documents = documents.map(({ name, author, labels, description, files }) => ({
      name,
      core: [name, author, ...labels, description].map(readWords),
      files: files.map((file) => readWords(file.text)),
    }));
    this.#vocabulary = new Set(
      this.#documents.flatMap((document) => [...document.core, ...document.files].flat().map((token) => token.term)),
    );
  }

  search(question: Question, filter?: Uint8Array, english?: Question): NaiveAnswer {
    const occurs = (word: QuestionWord): boolean =>
      [...this.#vocabulary].some((found) => word.terms.some((asked) => asItStands(asked, found)));
    const loose = question.looseWords;

    const last = question.lastWord?.terms.filter((term) => !isUnspacedTerm(term) && [...term].length >= 3) ?? [];
    const prefix: Accepts = (asked, found) =>
      last.includes(asked)
        ? !isUnspacedTerm(found) && foldAccents(found).startsWith(foldAccents(asked))
        : asItStands(asked, found);

    const nowhere = loose.filter((word) => !occurs(word)).flatMap((word) => word.terms);
    const near = new Map(nowhere.map((term) => [term, this.#nearStems(term)]));
    const typo: Accepts = (asked, found) =>
      near.has(asked) && !isUnspacedTerm(asked)
        ? !isUnspacedTerm(found) && (near.get(asked) as Set<string>).has(stemOf(found))
        : asItStands(asked, found);

    type Matches = (has: (word: QuestionWord) => boolean) => boolean;
    const every =
      (words: readonly QuestionWord[]): Matches =>
      (has) =>
        words.every(has);
    const enough = (half: readonly QuestionWord[]): Matches => {
      const idf = new Map(half.map((word) => [word, this.#idf(word)]));
      const total = half.reduce((sum, word) => sum + (idf.get(word) as number) * word.weight, 0);
      return (has) => half.filter(has).reduce((sum, word) => sum + (idf.get(word) as number), 0) * 2 >= total;
    };
    const half = loose.filter(occurs);
    const known = loose.flatMap(({ terms }) => terms);
    const hasOthers = (words: readonly QuestionWord[] = []): boolean =>
      words.some(({ terms }) => !known.includes(terms[0]!));
    const translated = english ?? { words: [], looseWords: [] };
    const translatedHalf = translated.looseWords.filter(occurs);
    const [isRead, isHalfRead] = [hasOthers(translated.looseWords), hasOthers(translatedHalf)];

    const steps: [KeywordStep, boolean, readonly QuestionWord[], Accepts, Matches, boolean][] = [
      ['all-words', false, question.words, asItStands, every(question.words), true],
      ['file-text', true, loose, asItStands, every(loose), true],
      ['prefix', true, loose, prefix, every(loose), last.length > 0],
      ['typo', true, loose, typo, every(loose), nowhere.length > 0],
      ['translated', false, translated.words, asItStands, every(translated.words), isRead],
      ['translated', true, translated.looseWords, asItStands, every(translated.looseWords), isRead],
      ['translated', true, translatedHalf, asItStands, enough(translatedHalf), isHalfRead],
      ['some-words', true, half, asItStands, enough(half), half.length > 0],
    ];
    for (const [step, everywhere, words, accepts, matches, applies] of steps) {
      if (!applies || words.length === 0) continue;
      const { phrases, text } = step === 'translated' ? english! : question;
      const numbers = this.#documents.flatMap((document, number) => {
        if (filter?.[number] === 0) return [];
        const texts = textsOf(document, everywhere);
        const has = (word: QuestionWord): boolean =>
          texts.some((tokens) => tokens.some((token) => word.terms.some((asked) => accepts(asked, token.term))));
        const together = phrases.every((phrase) =>
          texts.some((tokens) => standsTogether(phrase.tokens, phrase.length, tokens, accepts, everywhere)),
        );
        return matches(has) && together ? [number] : [];
      });
      if (numbers.length === 0) continue;
      const bm25f = new NaiveBm25f(this.#source, words, accepts, everywhere);
      const scores = numbers.map((number) => {
        const score = bm25f.scoreOf(number, FIELD_WEIGHTS);
        return (this.#tier(number, text, words, everywhere, accepts) + score / (score + 10)) / 6;
      });
      const asked = [
        ...words.flatMap((word) => word.terms),
        ...phrases.flatMap((phrase) => phrase.tokens.map((token) => token.term)),
      ];
      return { step, words, numbers, scores, accepts: (term) => asked.some((one) => accepts(one, term)) };
    }
    return { step: undefined, words: [], numbers: [], scores: [], accepts: () => false };
  }

  #nearStems(term: string): Set<string> {
    const form = foldAccents(term);
    const edits = [...term].length >= 8 ? 2 : 1;
    const forms = [...this.#vocabulary].filter((found) => !isUnspacedTerm(found)).map(foldAccents);
    return new Set(forms.filter((found) => plainEditDistance(form, found) <= edits).map(stemOf));
  }

  #idf(word: QuestionWord): number {
    const having = this.#documents.filter((document) =>
      textsOf(document, true).some((tokens) =>
        tokens.some((token) => word.terms.some((asked) => asItStands(asked, token.term))),
      ),
    ).length;
    return Math.log(1 + (this.#documents.length - having + 0.5) / (having + 0.5));
  }

  /**
   * 4 for the exact name, 2 for one that begins with the question, plus 1 where no word is there with other accents
   * only.
   */
  #tier(number: number, text: string, words: readonly QuestionWord[], everywhere: boolean, accepts: Accepts): number {
    const document = this.#documents[number] as NaiveDocument;
    const terms = textsOf(document, everywhere)
      .flat()
      .map((token) => token.term);
    const otherAccentsOnly = words.some((word) => {
      const answering = terms.filter((term) => word.terms.some((asked) => accepts(asked, term)));
      return answering.length > 0 && !answering.some((term) => word.terms.some((asked) => accentsAgree(asked, term)));
    });
    const ofName = isNamed(document.name, text) ? 4 : beginsWith(document.name, text) ? 2 : 0;
    return ofName + (otherAccentsOnly ? 0 : 1);
  }
}

function textsOf({ core, files }: NaiveDocument, everywhere: boolean): (readonly Token[])[] {
  if (everywhere) return [...core, ...files];
  return core.map((tokens) => tokens.filter((token) => token.kind !== 'inner'));
}

/** Tries all ways to read the phrase and all ways to read the text from each place. */
function standsTogether(
  phrase: readonly Token[],
  length: number,
  text: readonly Token[],
  accepts: Accepts,
  everywhere: boolean,
): boolean {
  const usable = phrase.filter((token) => everywhere || token.kind !== 'inner');
  const from = (askedAt: number, foundAt: number): boolean =>
    askedAt >= length ||
    usable.some(
      (one) =>
        one.position === askedAt &&
        text.some(
          (other) =>
            other.position === foundAt &&
            accepts(one.term, other.term) &&
            from(askedAt + one.span, foundAt + other.span),
        ),
    );
  return text.some((token) => from(0, token.position));
}

function key(text: string): string {
  return foldCase(normaliseText(text)).replace(/[^\p{L}\p{M}\p{N}+#]/gu, '');
}

/** Whether a question is a name, case, white space and punctuation aside. */
export function isNamed(name: string, question: string): boolean {
  return key(name) === key(question);
}

/**
 * Whether a name can be cut somewhere, between two words, so that the question comes before the cut and more behind
 * it.
 */
export function beginsWith(name: string, question: string): boolean {
  const text = normaliseText(name);
  const asked = key(question);
  if (asked === '' || asked === key(name)) return false;
  const words = readWords(name).filter(({ kind }) => kind === 'pascal' || isPartKind(kind));
  const isCut = ({ kind, start, end, term }: Token, place: number): boolean => {
    if (kind === 'inner') return false;
    if (kind !== 'pair' && kind !== 'character') return start < place && place < end;
    // Text without spaces is read in pairs, each of which begins with the next character: the first two stay together.
    const first = start === 0 || !isUnspacedTerm(lastCharacter(text.slice(0, start)));
    return start < place && place < start + (first && kind === 'pair' ? term : firstCharacter(term)).length;
  };
  return [...Array(text.length).keys()].some(
    (place) => key(text.slice(0, place)) === asked && !words.some((word) => isCut(word, place)),
  );
}

function firstCharacter(text: string): string {
  return [...text][0] ?? '';
}

function lastCharacter(text: string): string {
  return [...text].at(-1) ?? '';
}

/** Whether no letter that both words begin with has an accent in one and none, or another, in the other. */
function accentsAgree(a: string, b: string): boolean {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    if (foldAccents(a.slice(0, i + 1)) !== foldAccents(b.slice(0, i + 1))) return true;
    if (a[i] !== b[i]) return false;
  }
  return true;
}

/** Optimal string alignment, by its definition. */
export function plainEditDistance(a: string, b: string): number {
  const d: number[][] = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number): number => (d[i] as number[])[j] as number;
  for (let i = 0; i <= a.length; i++) {
    for (let j = 0; j <= b.length; j++) {
      const options = i === 0 && j === 0 ? [0] : [];
      if (i > 0) options.push(at(i - 1, j) + 1);
      if (j > 0) options.push(at(i, j - 1) + 1);
      if (i > 0 && j > 0) options.push(at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) options.push(at(i - 2, j - 2) + 1);
      (d[i] as number[])[j] = Math.min(...options);
    }
  }
  return at(a.length, b.length);
}

interface ScoredDocument {
  /** The terms that count by field, with repetitions; the parts of words in PascalCase with the description. */
  readonly terms: Readonly<Record<ScoredField, readonly string[]>>;
  /** In distinct terms, whether they count or not. */
  readonly lengths: Readonly<Record<ScoredField, number>>;
}

/** BM25F as it is defined, by going through all documents. */
export class NaiveBm25f {
  readonly #documents: readonly ScoredDocument[];
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
    const { terms } = this.#documents[document] as ScoredDocument;
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
    return (this.#documents[document] as ScoredDocument).lengths.files;
  }

  /** Sum over the words, each by its amount. */
  #sumOver(amountOf: (word: QuestionWord) => number): number {
    return this.#words.reduce((sum, word, w) => {
      const amount = amountOf(word);
      return sum + ((this.#idfs[w] as number) * (1.2 + 1) * amount) / (1.2 + amount);
    }, 0);
  }

  #amountOf(word: QuestionWord, document: number, field: ScoredField): number {
    const { terms, lengths } = this.#documents[document] as ScoredDocument;
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
const known = { everywhere: new WeakMap<object, ScoredDocument[]>(), core: new WeakMap<object, ScoredDocument[]>() };

function readDocuments(documents: readonly KeywordDocument[], everywhere: boolean): ScoredDocument[] {
  const kept = everywhere ? known.everywhere : known.core;
  const read = kept.get(documents) ?? documents.map((document) => readDocument(document, everywhere));
  kept.set(documents, read);
  return read;
}

function readDocument(
  { name, author, labels, description, files }: KeywordDocument,
  everywhere: boolean,
): ScoredDocument {
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

/** Whether a term of a text answers a term of the question. */
export type Accepts = (asked: string, found: string) => boolean;

/** Whether a term of a text answers a term of a question as it stands or by its stem. */
const asItStands: Accepts = (asked, found) => {
  if (!isUnspacedTerm(asked)) return !isUnspacedTerm(found) && stemOf(asked) === stemOf(found);
  const [askedForm, form] = [foldAccents(asked), foldAccents(found)];
  return [...asked].length === 1 ? isUnspacedTerm(found) && form.startsWith(askedForm) : askedForm === form;
};
