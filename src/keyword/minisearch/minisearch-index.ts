import { type DocumentNumber, nameKey, type Pieces, readWords, sameAccents, type Token } from '../../core/index.js';
import { type CorrectedWord, SCORED_FIELDS } from '../../result.js';
import { rankAnyWord } from '../any-word-ranking.js';
import { inverseDocumentFrequency } from '../bm25.js';
import { FIELDS, lastFieldOf, PARTS_OF_SCORED, SCORED_OF } from '../index-fields.js';
import type {
  CompletedWord,
  CompletionOptions,
  CountedText,
  DocumentSource,
  KeywordDocument,
  KeywordIndex,
  KeywordMatches,
  MatchOptions,
  RankedDocuments,
  RankOptions,
} from '../keyword-index.js';
import { asItStands, correctedWords, type Lookup, planSteps, type StepPlan } from '../plan-steps.js';
import type { Phrase, Question, QuestionWord } from '../question.js';
import {
  type FieldReading,
  keyOf,
  type RankedWord,
  type RankingSpace,
  RankingSpaces,
  readingOf,
  readRankedWord,
  recentWords,
} from '../ranked-word.js';
import type { RecentlyUsed } from '../recently-used.js';
import { bestMatches, ScoreTiers, ScoringSpace } from '../score-matches.js';
import type { DocumentFrequencies } from '../word-occurrences.js';
import type { FieldPostings, MiniSearchPostings } from './minisearch-words.js';
import { IndexBuilder } from './minisearch-words.js';

/** By term of the question, the terms of the catalogue that answer it. */
type AnsweringTerms = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * {@link KeywordIndex} over MiniSearch. MiniSearch's inverted index holds the postings, and its radix tree holds the
 * vocabulary. The forms of a word are looked up in the vocabulary first, so the inverted index is only asked for exact
 * terms. MiniSearch has no phrases: they are checked in the text of the documents found.
 */
export class MiniSearchIndex implements KeywordIndex {
  readonly size: number;
  readonly #built: IndexBuilder;
  readonly #recentWords: RecentlyUsed<RankedWord>;
  readonly #rankingSpaces: RankingSpaces;
  readonly #space: ScoringSpace;

  private constructor(built: IndexBuilder) {
    this.size = built.documents.size;
    this.#built = built;
    this.#recentWords = recentWords(this.size);
    this.#rankingSpaces = new RankingSpaces(this.size);
    this.#space = new ScoringSpace(this.size);
  }

  /**
   * Indexes all documents, giving way to the event loop now and then.
   *
   * @throws the signal's reason when aborted
   */
  static async build(documents: DocumentSource, signal?: AbortSignal): Promise<MiniSearchIndex> {
    const builder = new IndexBuilder(documents);
    for (const _ of builder.build()) {
      await new Promise(setImmediate);
      signal?.throwIfAborted();
    }
    return new MiniSearchIndex(builder);
  }

  match(question: Question, options: MatchOptions = {}): KeywordMatches {
    const { vocabulary } = this.#built;
    const occurs = (lookup: Lookup): boolean => vocabulary.find(lookup).length > 0;
    for (const plan of planSteps(question, occurs)) {
      const answers = this.#termsOf(plan);
      const words = this.#wordsOf(plan, answers);
      const documents = Uint32Array.from(this.#find(plan, words, answers, options.filter));
      if (documents.length === 0) continue;
      const accepted = [...answers.values()];
      return {
        step: plan.step,
        documents,
        best: options.scored === true ? this.#best(documents, question, words) : undefined,
        accepting: () => accepts(new Set(accepted.flatMap((terms) => [...terms]))),
        corrected: () => (plan.step === 'typo' ? this.#corrected(question, plan, answers, documents) : []),
      };
    }
    return {
      step: undefined,
      documents: new Uint32Array(),
      best: undefined,
      accepting: () => accepts(new Set()),
      corrected: () => [],
    };
  }

  #corrected(question: Question, plan: StepPlan, answers: AnsweringTerms, documents: Uint32Array): CorrectedWord[] {
    const formOf = (term: string, asked: QuestionWord): CountedText => {
      const having = new WordMatches(this.#built.postings, asked, [term], [...FIELDS.keys()]).documents();
      return { text: term, count: documents.filter((document) => having.has(document)).length };
    };
    return correctedWords(question, plan, (word) =>
      [...(answers.get(word.terms[0]!) ?? [])].map((term) => formOf(term, word)),
    );
  }

  *rank(question: Question, options: RankOptions): Pieces<RankedDocuments> {
    const { norms } = this.#built;
    const reading = readingOf(norms, options.weights);
    const space = this.#rankingSpaces.take();
    const words: RankedWord[] = [];
    for (const word of question.looseWords) words.push(yield* this.#readWord(word, reading, space));
    const weights = question.looseWords.map(({ weight }) => weight);
    const ranked = yield* rankAnyWord(words, weights, reading, options, space, this.size);
    this.#rankingSpaces.giveBack(space);
    return ranked;
  }

  named({ text }: Question): readonly DocumentNumber[] {
    return this.#built.byName.get(nameKey(text)) ?? [];
  }

  beginning({ text }: Question): readonly DocumentNumber[] {
    return this.#built.byBeginning.get(nameKey(text)) ?? [];
  }

  wordsBeginning(letters: string, { limit, isLeftOut, words }: CompletionOptions): readonly CompletedWord[] {
    const { completions } = this.#built;
    const question = { text: '', language: 'en', words, looseWords: words, lastWord: undefined, phrases: [] };
    const [plan] = planSteps(question, () => false);
    const others =
      plan === undefined || words.length === 0
        ? undefined
        : documentsWithAll(this.#wordsOf(plan, this.#termsOf(plan)), undefined);
    return completions
      .words(letters, limit)
      .filter(({ text }) => !isLeftOut(text))
      .map((word) => {
        const having = completions.documentsOf(word.text);
        return { ...word, together: others?.filter((document) => having.has(document)).length };
      });
  }

  namesBeginning(text: string, limit: number): readonly CountedText[] {
    return this.#built.completions.names(text, limit);
  }

  #termsOf(plan: StepPlan): AnsweringTerms {
    const answers = new Map<string, ReadonlySet<string>>();
    const asked = [
      ...plan.words.flatMap((word) => word.terms),
      ...plan.phrases.flatMap((phrase) => phrase.tokens.map((token) => token.term)),
    ];
    for (const term of asked) {
      if (!answers.has(term)) answers.set(term, new Set(this.#built.vocabulary.find(plan.lookup(term))));
    }
    return answers;
  }

  #wordsOf(plan: StepPlan, answers: AnsweringTerms): WordMatches[] {
    const fields = [...FIELDS.keys()].slice(0, lastFieldOf(plan.everywhere) + 1);
    return plan.words.map((asked) => {
      const terms = asked.terms.flatMap((term) => [...(answers.get(term) ?? [])]);
      return new WordMatches(this.#built.postings, asked, terms, fields);
    });
  }

  #find(
    plan: StepPlan,
    words: readonly WordMatches[],
    answers: AnsweringTerms,
    filter: Uint8Array | undefined,
  ): DocumentNumber[] {
    const idfOf = (documentFrequency: number): number => inverseDocumentFrequency(this.size, documentFrequency);
    const found = plan.required === 'all' ? documentsWithAll(words, filter) : documentsWithHalf(words, filter, idfOf);
    if (plan.phrases.length === 0) return found;
    const accepts = (asked: string, term: string): boolean => answers.get(asked)?.has(term) === true;
    const { documents } = this.#built;
    return found.filter((document) => hasPhrases(documents.read(document), plan, accepts));
  }

  #best(documents: Uint32Array, question: Question, words: readonly WordMatches[]): KeywordMatches['best'] {
    return (options) => {
      const matched = words.map((word) => ({
        weight: word.asked.weight,
        documentFrequency: word.documents().size,
        lists: word.byScoredField(),
      }));
      const tiers = new ScoreTiers(documents, {
        exactNames: this.named(question),
        nameBeginnings: this.beginning(question),
        otherAccents: words.map((word) => Uint32Array.from(word.withOtherAccents()).sort()),
      });
      return bestMatches({ tiers, words: matched, norms: this.#built.norms, space: this.#space }, options);
    };
  }

  *#readWord({ terms: asked }: QuestionWord, reading: FieldReading, space: RankingSpace): Pieces<RankedWord> {
    const key = keyOf(asked, reading);
    const word = this.#recentWords.peek(key) ?? (yield* readRankedWord(this.#listsOf(asked), reading, space));
    return this.#recentWords.get(key, () => word);
  }

  /** By scored field, the posting lists of the terms that answer some terms as they stand or by their stem. */
  #listsOf(asked: readonly string[]): DocumentFrequencies[][] {
    const { vocabulary, postings } = this.#built;
    const terms = new Set(asked.flatMap((term) => vocabulary.find(asItStands(term))));
    const found = [...terms].flatMap((term) => postings.postingsOf(term) ?? []);
    return SCORED_FIELDS.map((field) =>
      PARTS_OF_SCORED[field].flatMap((part) => found.flatMap((byField) => byField.get(part) ?? [])),
    );
  }
}

function accepts(terms: ReadonlySet<string>): (term: string) => boolean {
  return (term) => terms.has(term);
}

/** The postings, in one of the fields that count, of a term that answers a word. */
interface AnswerPostings {
  readonly term: string;
  readonly field: number;
  readonly postings: FieldPostings;
}

/** A word of a question with all postings that answer it. */
export class WordMatches {
  readonly asked: QuestionWord;
  readonly #lists: readonly AnswerPostings[];
  /** Sum of the sizes of the lists; at least the number of documents that have the word. */
  readonly size: number;

  /**
   * @param terms the terms that answer the word
   * @param fields numbers of the fields that count
   */
  constructor(index: MiniSearchPostings, asked: QuestionWord, terms: Iterable<string>, fields: readonly number[]) {
    this.asked = asked;
    const lists: AnswerPostings[] = [];
    for (const term of new Set(terms)) {
      const byField = index.postingsOf(term);
      for (const field of fields) {
        const postings = byField?.get(field);
        if (postings !== undefined) lists.push({ term, field, postings });
      }
    }
    this.#lists = lists;
    this.size = lists.reduce((sum, { postings }) => sum + postings.size, 0);
  }

  byScoredField(): FieldPostings[][] {
    return SCORED_FIELDS.map((_, scored) =>
      this.#lists.filter(({ field }) => SCORED_OF[field] === scored).map(({ postings }) => postings),
    );
  }

  /** The documents that have the word, in no particular order. */
  documents(): Set<DocumentNumber> {
    const found = new Set<DocumentNumber>();
    for (const { postings } of this.#lists) for (const document of postings.keys()) found.add(document);
    return found;
  }

  /** The candidates that have the word: looked up one by one, or all at once where that is less work. */
  among(candidates: readonly DocumentNumber[]): DocumentNumber[] {
    if (candidates.length * this.#lists.length > this.size) {
      const all = this.documents();
      return candidates.filter((document) => all.has(document));
    }
    return candidates.filter((document) => this.#lists.some(({ postings }) => postings.has(document)));
  }

  /** The documents that have the word only with other accents than in the question. */
  withOtherAccents(): DocumentNumber[] {
    const isExact = ({ term }: AnswerPostings): boolean => this.asked.terms.some((one) => sameAccents(one, term));
    const exact = this.#lists.filter(isExact);
    const others = this.#lists.filter((list) => !isExact(list));
    return others
      .flatMap(({ postings }) => [...postings.keys()])
      .filter((document) => !exact.some(({ postings }) => postings.has(document)));
  }
}

/** The documents that have every word and pass the filter, ascending. */
function documentsWithAll(words: readonly WordMatches[], filter: Uint8Array | undefined): DocumentNumber[] {
  const [rarest, ...others] = [...words].sort((a, b) => a.size - b.size);
  if (rarest === undefined || rarest.size === 0) return [];
  let candidates = [...rarest.documents()].filter((document) => filter === undefined || filter[document] === 1);
  for (const word of others) {
    if (candidates.length === 0) break;
    candidates = word.among(candidates);
  }
  return candidates.sort((a, b) => a - b);
}

/**
 * The documents whose words make up at least half of the weight of all words, and that pass the filter, ascending.
 *
 * @param idfOf idf of a word by its document frequency. In the weight of all words, it is multiplied by the word's
 *   weight.
 */
function documentsWithHalf(
  words: readonly WordMatches[],
  filter: Uint8Array | undefined,
  idfOf: (documentFrequency: number) => number,
): DocumentNumber[] {
  const sums = new Map<DocumentNumber, number>();
  let total = 0;
  for (const word of words) {
    const documents = word.documents();
    const idf = idfOf(documents.size);
    total += idf * word.asked.weight;
    for (const document of documents) {
      if (filter === undefined || filter[document] === 1) sums.set(document, (sums.get(document) ?? 0) + idf);
    }
  }
  const found: DocumentNumber[] = [];
  for (const [document, sum] of sums) if (sum * 2 >= total) found.push(document);
  return found.sort((a, b) => a - b);
}

/** Whether a term of a text answers a term of a phrase. */
type Accepts = (asked: string, term: string) => boolean;

/** Whether a document has every phrase of a step, each within one text: no phrase continues in the next one. */
function hasPhrases(document: KeywordDocument, { phrases, everywhere }: StepPlan, accepts: Accepts): boolean {
  const core = [document.name, document.author, ...document.labels, document.description];
  const isIn = (texts: readonly string[], phrase: Phrase): boolean =>
    texts.some((text) => hasPhrase(readWords(text), phrase, accepts, everywhere));
  return phrases.every(
    (phrase) =>
      isIn(core, phrase) ||
      (everywhere &&
        isIn(
          document.files.map((file) => file.text),
          phrase,
        )),
  );
}

/**
 * Whether the words of a phrase stand together in a text: whether both can be read, from some position on, as the same
 * sequence of terms. Either may read a compound as a whole or part by part.
 *
 * @param everywhere whether the parts of words in PascalCase count, in both
 */
function hasPhrase(tokens: readonly Token[], phrase: Phrase, accepts: Accepts, everywhere: boolean): boolean {
  const first = phrase.tokens.filter((token) => token.position === 0);
  const starts = tokens.filter((token) => first.some(({ term }) => accepts(term, token.term)));
  if (starts.length === 0) return false;

  const asked = byPosition(phrase.tokens, everywhere);
  const found = byPosition(tokens, everywhere);

  // Each compound can be read in two ways. Pairs of positions that failed are remembered, or the ways would multiply.
  const failed = new Set<number>();
  const reads = (askedAt: number, foundAt: number): boolean => {
    if (askedAt >= phrase.length) return true;
    const pair = foundAt * phrase.length + askedAt;
    if (failed.has(pair)) return false;
    for (const one of asked.get(askedAt) ?? []) {
      for (const other of found.get(foundAt) ?? []) {
        if (accepts(one.term, other.term) && reads(askedAt + one.span, foundAt + other.span)) return true;
      }
    }
    failed.add(pair);
    return false;
  };

  return starts.some(({ position }) => reads(0, position));
}

function byPosition(tokens: readonly Token[], everywhere: boolean): Map<number, Token[]> {
  const positions = new Map<number, Token[]>();
  for (const token of tokens) {
    if (token.kind === 'inner' && !everywhere) continue;
    const others = positions.get(token.position);
    if (others === undefined) positions.set(token.position, [token]);
    else others.push(token);
  }
  return positions;
}
