import type { DocumentNumber, Pieces } from '../../core/index.js';
import { nameKey } from '../../core/index.js';
import { type CorrectedWord, SCORED_FIELDS } from '../../result.js';
import { rankAnyWord } from '../any-word-ranking.js';
import { bestMatches } from '../best-matches.js';
import { inverseDocumentFrequency } from '../bm25.js';
import { FIELDS, lastFieldOf, PARTS_OF_SCORED } from '../index-fields.js';
import type {
  CompletedWord,
  CompletionOptions,
  CountedText,
  DocumentSource,
  KeywordIndex,
  KeywordMatches,
  MatchOptions,
  RankedDocuments,
  RankOptions,
} from '../keyword-index.js';
import type { Question, QuestionWord } from '../question.js';
import { type FieldReading, keyOf, type RankedWord, readingOf, readRankedWord, recentWords } from '../ranked-word.js';
import { type RankingSpace, RankingSpaces } from '../ranking-space.js';
import type { RecentlyUsed } from '../recently-used.js';
import { ScoreTiers } from '../score-tiers.js';
import { ScoringSpace } from '../scoring-space.js';
import { correctedWords } from '../steps/corrected-words.js';
import { asItStands, type Lookup } from '../steps/lookup.js';
import { planSteps, type StepPlan } from '../steps/plan-steps.js';
import type { DocumentFrequencies } from '../word-occurrences.js';
import { hasPhrases } from './has-phrases.js';
import { IndexBuilder } from './index-builder.js';
import { documentsWithAll, documentsWithHalf, WordMatches } from './word-matches.js';

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
