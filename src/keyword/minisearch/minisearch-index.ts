import { appendTo as append } from '../../arrays/group-by-key.js';
import { SCORED_FIELDS } from '../../result.js';
import { sameAccents } from '../../text/characters.js';
import { beginningsOf } from '../../text/name-beginnings.js';
import { nameKey } from '../../text/name-key.js';
import { readWords } from '../../text/words.js';
import { rankAnyWord } from '../any-word-ranking.js';
import { inverseDocumentFrequency } from '../bm25.js';
import { FIELDS, PARTS_OF_SCORED, textsOfFiles } from '../index-fields.js';
import type {
  DocumentSource,
  KeywordDocument,
  KeywordIndex,
  KeywordMatches,
  MatchOptions,
  RankedDocuments,
  RankOptions,
} from '../keyword-index.js';
import { LengthNorms } from '../length-norms.js';
import type { Phrase, Question, QuestionWord } from '../question.js';
import { scoreMatches } from '../score-matches.js';
import { applyTiers } from '../score-tiers.js';
import { ScoringSpace } from '../scoring-space.js';
import { asItStands, type Lookup, planSteps, type StepPlan } from '../step-plan.js';
import { OccurrenceReader, recentWords, type WordOccurrences } from '../word-occurrences.js';
import { MiniSearchPostings } from './minisearch-postings.js';
import { hasPhrase } from './phrase.js';
import { Vocabulary } from './vocabulary.js';
import { documentsWithAll, documentsWithHalf, WordMatches } from './word-matches.js';

/** Name, author, labels, description. */
const CORE_FIELDS = [0, 1, 2, 3];
const ALL_FIELDS = [0, 1, 2, 3, 4, 5];

/** Documents added, and terms put in place, between two turns of the event loop. */
const DOCUMENTS_A_TURN = 500;
const TERMS_A_TURN = 20_000;

/** The terms that answer each term of the question in one step, with their weight in the score. */
type Answers = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * {@link KeywordIndex} over MiniSearch: its inverted index holds the postings, its formula scores them, its radix tree
 * holds the vocabulary. The forms of a word are looked up beforehand, so the index sees exact terms only. Phrases,
 * which it does not know, are checked in the text of what it finds.
 */
export class MiniSearchIndex implements KeywordIndex {
  readonly size: number;
  readonly #documents: DocumentSource;
  readonly #vocabulary = new Vocabulary();
  readonly #index = new MiniSearchPostings({ fields: [...FIELDS], processTerm: (term) => term });
  readonly #byName = new Map<string, number[]>();
  readonly #byBeginning = new Map<string, number[]>();
  readonly #recentWords = recentWords();
  readonly #scoringSpace: ScoringSpace;
  /** By scored field; made when all documents are added. */
  #norms: readonly LengthNorms[] = [];
  readonly #reader: OccurrenceReader;

  private constructor(documents: DocumentSource) {
    this.size = documents.size;
    this.#documents = documents;
    this.#reader = new OccurrenceReader(documents.size);
    this.#scoringSpace = new ScoringSpace(documents.size);
  }

  /**
   * Indexes all documents, giving way to the event loop now and then.
   *
   * @throws the signal's reason when aborted
   */
  static async build(documents: DocumentSource, signal?: AbortSignal): Promise<MiniSearchIndex> {
    const built = new MiniSearchIndex(documents);
    for (const _ of built.#buildSteps()) {
      await new Promise(setImmediate);
      signal?.throwIfAborted();
    }
    return built;
  }

  *#buildSteps(): Generator<void> {
    let number = 0;
    for (const document of this.#documents.all()) {
      this.#add(number++, document);
      if (number % DOCUMENTS_A_TURN === 0) yield;
    }
    yield* this.#index.finish((term) => this.#vocabulary.add(term), TERMS_A_TURN);
    const norms: LengthNorms[] = [];
    for (const field of SCORED_FIELDS) {
      yield;
      const lengths = this.#lengthsOf(PARTS_OF_SCORED[field]);
      let [total, greatest] = [0, 0];
      for (const length of lengths) [total, greatest] = [total + length, Math.max(greatest, length)];
      norms.push(new LengthNorms(lengths, total, greatest));
    }
    this.#norms = norms;
  }

  #lengthsOf(parts: readonly number[]): Uint32Array {
    return Uint32Array.from({ length: this.size }, (_, number) =>
      parts.reduce((sum, part) => sum + this.#index.lengthOf(number, part), 0),
    );
  }

  #add(number: number, document: KeywordDocument): void {
    const { name, author, labels, description } = document;
    const inner: string[] = [];
    const termsOf = (texts: readonly string[]): string[] => {
      const terms: string[] = [];
      for (const text of texts) {
        for (const token of readWords(text)) (token.kind === 'inner' ? inner : terms).push(token.term);
      }
      return terms;
    };
    const core = [[name], [author], labels, [description]].map(termsOf);
    const fileTerms = textsOfFiles(document).flatMap((text) => readWords(text).map((token) => token.term));
    this.#index.addTerms(number, [...core, inner, fileTerms]);
    append(this.#byName, nameKey(name), number);
    for (const key of beginningsOf(name)) append(this.#byBeginning, key, number);
  }

  match(question: Question, options: MatchOptions = {}): KeywordMatches {
    const occurs = (lookup: Lookup): boolean => this.#vocabulary.find(lookup).length > 0;
    for (const plan of planSteps(question, occurs)) {
      const answers = this.#answersOf(plan);
      const fields = plan.everywhere ? ALL_FIELDS : CORE_FIELDS;
      const words = plan.words.map(
        (word) =>
          new WordMatches(
            this.#index,
            word.terms.flatMap((term) => [...(answers.get(term) ?? [])]),
            fields,
          ),
      );
      const numbers = Uint32Array.from(this.#run(plan, words, answers, options.filter));
      if (numbers.length === 0) continue;
      const accepted = [...answers.values()];
      return {
        step: plan.step,
        numbers,
        scores: options.scored === true ? this.#score(numbers, question, plan.words, words) : undefined,
        accepting: () => accepts(new Set(accepted.flatMap((terms) => [...terms]))),
      };
    }
    return { step: undefined, numbers: new Uint32Array(), scores: undefined, accepting: () => accepts(new Set()) };
  }

  rank(question: Question, options: RankOptions): RankedDocuments {
    const words = question.looseWords.map((word) => this.#occurrencesOf(word));
    const counts = question.looseWords.map(({ weight }) => weight);
    return rankAnyWord(words, counts, this.#norms, options, this.#scoringSpace);
  }

  named({ text }: Question): readonly number[] {
    return this.#byName.get(nameKey(text)) ?? [];
  }

  beginning({ text }: Question): readonly number[] {
    return this.#byBeginning.get(nameKey(text)) ?? [];
  }

  #occurrencesOf({ terms: asked }: QuestionWord): WordOccurrences {
    return this.#recentWords.get(asked.join(' '), () => {
      const terms = new Set(asked.flatMap((term) => this.#vocabulary.find(asItStands(term))));
      const found = [...terms].flatMap((term) => this.#index.postingsOf(term) ?? []);
      const lists = SCORED_FIELDS.map((field) =>
        PARTS_OF_SCORED[field].flatMap((part) => found.flatMap((byField) => byField.get(part) ?? [])),
      );
      return this.#reader.wordOf(lists, this.#norms);
    });
  }

  #answersOf(plan: StepPlan): Answers {
    const answers = new Map<string, ReadonlySet<string>>();
    const asked = [
      ...plan.words.flatMap((word) => word.terms),
      ...plan.phrases.flatMap((phrase) => phrase.tokens.map((token) => token.term)),
    ];
    for (const term of asked) {
      if (!answers.has(term)) answers.set(term, new Set(this.#vocabulary.find(plan.lookup(term))));
    }
    return answers;
  }

  #run(plan: StepPlan, words: readonly WordMatches[], answers: Answers, filter: Uint8Array | undefined): number[] {
    const weightOf = (frequency: number): number => inverseDocumentFrequency(this.size, frequency);
    const shares = plan.words.map(({ weight }) => weight);
    const found =
      plan.required === 'all' ? documentsWithAll(words, filter) : documentsWithHalf(words, filter, weightOf, shares);
    if (plan.phrases.length === 0) return found;
    return found.filter((number) => this.#hasPhrases(number, plan, answers));
  }

  #hasPhrases(number: number, plan: StepPlan, answers: Answers): boolean {
    const document = this.#documents.read(number);
    const core = [document.name, document.author, ...document.labels, document.description];
    const accepts = (asked: string, found: string): boolean => answers.get(asked)?.has(found) === true;
    const standsIn = (texts: readonly string[], phrase: Phrase): boolean =>
      texts.some((text) => hasPhrase(readWords(text), phrase, accepts, plan.everywhere));
    return plan.phrases.every(
      (phrase) =>
        standsIn(core, phrase) ||
        (plan.everywhere &&
          standsIn(
            document.files.map((file) => file.text),
            phrase,
          )),
    );
  }

  #score(
    documents: Uint32Array,
    question: Question,
    asked: readonly QuestionWord[],
    words: readonly WordMatches[],
  ): Float64Array {
    const matched = words.map((word, i) => ({
      weight: asked[i]!.weight,
      documentFrequency: word.documents().size,
      lists: word.byScoredField(),
    }));
    const scores = scoreMatches(documents, matched, this.#norms, this.#scoringSpace);
    applyTiers(documents, scores, {
      exactNames: this.named(question),
      nameBeginnings: this.beginning(question),
      otherAccents: asked.flatMap((word, i) => [...documents].filter(this.#otherAccents(word, words[i]!))),
    });
    return scores;
  }

  /**
   * Tells of a document whether it has a word only with other accents than the question.
   */
  #otherAccents(word: QuestionWord, { lists }: WordMatches): (number: number) => boolean {
    const exactLists = lists.filter(({ term }) => word.terms.some((asked) => sameAccents(asked, term)));
    if (exactLists.length === lists.length) return () => false;
    const exact = new Set(exactLists);
    const otherLists = lists.filter((list) => !exact.has(list));
    return (number) =>
      otherLists.some(({ postings }) => postings.has(number)) &&
      !exactLists.some(({ postings }) => postings.has(number));
  }
}

function accepts(terms: ReadonlySet<string>): (term: string) => boolean {
  return (term) => terms.has(term);
}
