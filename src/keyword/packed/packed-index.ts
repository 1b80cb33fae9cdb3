import { ALL_IN_MEMORY, type Pager } from '../../arrays/pager.js';
import { SCORED_FIELDS } from '../../result.js';
import { foldAccents, sameAccents } from '../../text/characters.js';
import { beginningsOf } from '../../text/name-beginnings.js';
import { nameKey } from '../../text/name-key.js';
import { rankAnyWord } from '../any-word-ranking.js';
import { inverseDocumentFrequency } from '../bm25.js';
import { FILES, INNER, SCORED_OF } from '../index-fields.js';
import type {
  DocumentSource,
  KeywordIndex,
  KeywordMatches,
  MatchOptions,
  RankedDocuments,
  RankOptions,
} from '../keyword-index.js';
import { LengthNorms } from '../length-norms.js';
import type { Question, QuestionWord } from '../question.js';
import { RecentlyUsed } from '../recently-used.js';
import { scoreMatches } from '../score-matches.js';
import { applyTiers } from '../score-tiers.js';
import { ScoringSpace } from '../scoring-space.js';
import { asItStands, type Lookup, planSteps, type StepPlan } from '../step-plan.js';
import { OccurrenceReader, recentWords, type WordOccurrences } from '../word-occurrences.js';
import { DocumentSets } from './document-sets.js';
import { documentsOfKey, type NameTable } from './name-table.js';
import type { PackedKeywords } from './packed-keywords.js';
import { PhraseFinder } from './phrase-finder.js';
import { PostingList } from './posting-list.js';
import { TermDictionary } from './term-dictionary.js';

/** Words to remember the lists of, and these all together, some hundred bytes each. */
const WORDS_KEPT = 10_000;
const LISTS_KEPT = 50_000;

/** Terms of a word from which on it takes longer to name them than is gained by remembering the word. */
const MANY_TERMS = 64;

/** The lists of the terms that answer a word. */
interface WordLists {
  /** The term of each list. */
  readonly termOf: readonly number[];
  readonly lists: readonly PostingList[];
  /** Sum of their sizes. */
  readonly size: number;
  /** Equal for words of the same lists; undefined where these are very many. */
  readonly key: string | undefined;
}

/** One word of a question, and the lists of the terms that answer it. */
interface AnsweredWord extends WordLists {
  readonly asked: QuestionWord;
}

/** {@link KeywordIndex} over typed arrays: sorted terms, posting lists with frequencies and positions. */
export class PackedIndex implements KeywordIndex {
  readonly size: number;
  readonly #packed: PackedKeywords;
  readonly #documents: DocumentSource;
  readonly #terms: TermDictionary;
  readonly #sets: DocumentSets;
  readonly #phrases: PhraseFinder;
  readonly #pager: Pager;
  #norms: readonly LengthNorms[] | undefined;
  readonly #wordsAsked = new RecentlyUsed<WordLists>(WORDS_KEPT, LISTS_KEPT, ({ lists }) => lists.length);
  readonly #recentWords = recentWords();
  readonly #reader: OccurrenceReader;
  readonly #scoringSpace: ScoringSpace;

  /** @param pager reads what is needed of arrays that are in a file */
  constructor(packed: PackedKeywords, documents: DocumentSource, pager: Pager = ALL_IN_MEMORY) {
    this.size = packed.size;
    this.#packed = packed;
    this.#documents = documents;
    this.#pager = pager;
    this.#terms = new TermDictionary(packed.dictionary, pager);
    this.#sets = new DocumentSets(packed.size);
    this.#phrases = new PhraseFinder(packed.postings);
    this.#reader = new OccurrenceReader(packed.size);
    this.#scoringSpace = new ScoringSpace(packed.size);
  }

  match(question: Question, options: MatchOptions = {}): KeywordMatches {
    const occurs = (lookup: Lookup): boolean => this.#terms.find(lookup).length > 0;
    for (const plan of planSteps(question, occurs)) {
      const answers = this.#answersOf(plan);
      const words = plan.words.map((word) => this.#wordOf(word, plan, answers, plan.everywhere ? FILES : INNER - 1));
      const numbers = this.#run(plan, words, answers, options.filter);
      if (numbers.length === 0) continue;
      return {
        step: plan.step,
        numbers,
        scores: options.scored === true ? this.#score(numbers, question, words) : undefined,
        accepting: () => this.#accepting(plan, answers),
      };
    }
    return { step: undefined, numbers: new Uint32Array(), scores: undefined, accepting: () => () => false };
  }

  rank(question: Question, options: RankOptions): RankedDocuments {
    const words = question.looseWords.map((word) => this.#occurrencesOf(word));
    const counts = question.looseWords.map(({ weight }) => weight);
    return rankAnyWord(words, counts, this.#lengthNorms(), options, this.#scoringSpace);
  }

  named({ text }: Question): readonly number[] {
    const key = nameKey(text);
    return this.#ofKey(this.#packed.names, key, (name) => nameKey(name) === key);
  }

  beginning({ text }: Question): readonly number[] {
    const key = nameKey(text);
    return this.#ofKey(this.#packed.beginnings, key, (name) => beginningsOf(name).includes(key));
  }

  /** Where both hashes are the same the keys are: one of the documents is looked at all the same. */
  #ofKey(table: NameTable, key: string, fits: (name: string) => boolean): readonly number[] {
    const found = documentsOfKey(table, key, this.#pager);
    const [first] = found;
    return first === undefined || fits(this.#documents.read(first).name) ? found : [];
  }

  /** By scored field; made when scores are first asked for. */
  #lengthNorms(): readonly LengthNorms[] {
    const { lengths, totalLengths, greatestLengths } = this.#packed;
    for (const array of [lengths, totalLengths, greatestLengths]) this.#pager.need(array);
    this.#norms ??= SCORED_FIELDS.map((_, field) => {
      const ofField = lengths.subarray(field * this.size, (field + 1) * this.size);
      return new LengthNorms(ofField, totalLengths[field]!, greatestLengths[field]!);
    });
    return this.#norms;
  }

  #accepting(plan: StepPlan, answers: ReadonlyMap<string, ReadonlySet<number>>): (term: string) => boolean {
    const terms = new Set<string>();
    // The terms that begin so may be thousands: they are known by how they begin.
    const beginnings: string[] = [];
    for (const [term, numbers] of answers) {
      const { kind } = plan.lookup(term);
      if (kind === 'prefix' || kind === 'character') beginnings.push(foldAccents(term));
      else for (const number of numbers) terms.add(this.#terms.termAt(number));
    }
    if (beginnings.length === 0) return (term) => terms.has(term);
    return (term) => {
      if (terms.has(term)) return true;
      const form = foldAccents(term);
      return beginnings.some((beginning) => form.startsWith(beginning));
    };
  }

  /** The terms that answer each term of a step's words and phrases. */
  #answersOf(plan: StepPlan): Map<string, ReadonlySet<number>> {
    const answers = new Map<string, ReadonlySet<number>>();
    const answer = (term: string): void => {
      if (!answers.has(term)) answers.set(term, new Set(this.#terms.find(plan.lookup(term))));
    };
    for (const word of plan.words) for (const term of word.terms) answer(term);
    for (const phrase of plan.phrases) for (const token of phrase.tokens) answer(token.term);
    return answers;
  }

  /** @param lastField the last field that counts */
  #wordOf(
    asked: QuestionWord,
    plan: StepPlan,
    answers: ReadonlyMap<string, ReadonlySet<number>>,
    lastField: number,
  ): AnsweredWord {
    const read = (): WordLists => this.#wordLists(asked, answers, lastField);
    // What begins so, or is some edits away, is asked for once; words as they stand in every step of many questions.
    const plain = asked.terms.every((term) => plan.lookup(term).kind === 'stem');
    const lists = plain ? this.#wordsAsked.get(`${lastField}:${asked.terms.join(' ')}`, read) : read();
    return { asked, ...lists };
  }

  #wordLists(
    { terms: asked }: QuestionWord,
    answers: ReadonlyMap<string, ReadonlySet<number>>,
    lastField: number,
  ): WordLists {
    const terms = new Set<number>();
    for (const term of asked) for (const number of answers.get(term) ?? []) terms.add(number);
    const lists: PostingList[] = [];
    const termOf: number[] = [];
    let size = 0;
    for (const term of terms) {
      for (const list of this.#listsOf(term, lastField)) {
        lists.push(list);
        termOf.push(term);
        size += list.size;
      }
    }
    const key = terms.size > MANY_TERMS ? undefined : `${lastField}:${[...terms].join()}`;
    return { termOf, lists, size, key };
  }

  /** @param lastField the last field that counts */
  *#listsOf(term: number, lastField: number): Generator<PostingList> {
    const { listStarts, listFields } = this.#packed.postings;
    this.#pager.need(listStarts, term, term + 2);
    const [from, to] = [listStarts[term]!, listStarts[term + 1]!];
    this.#pager.need(listFields, from, to);
    for (let list = from; list < to && listFields[list]! <= lastField; list++) {
      yield new PostingList(this.#packed.postings, list, this.#pager);
    }
  }

  #run(
    plan: StepPlan,
    words: readonly AnsweredWord[],
    answers: ReadonlyMap<string, ReadonlySet<number>>,
    filter: Uint8Array | undefined,
  ): Uint32Array {
    const weightOf = (frequency: number): number => inverseDocumentFrequency(this.size, frequency);
    const shares = plan.words.map(({ weight }) => weight);
    const found =
      plan.required === 'all'
        ? this.#sets.withAll(words, filter)
        : this.#sets.withHalf(words, filter, weightOf, shares);
    if (plan.phrases.length === 0 || found.length === 0) return found;
    const listsOf = (term: string): PostingList[] => {
      const lists: PostingList[] = [];
      for (const number of answers.get(term) ?? [])
        lists.push(...this.#listsOf(number, plan.everywhere ? FILES : INNER - 1));
      return lists;
    };
    return this.#phrases.filter(found, plan.phrases, listsOf, plan.everywhere);
  }

  #score(documents: Uint32Array, question: Question, words: readonly AnsweredWord[]): Float64Array {
    const matched = words.map((word) => ({
      weight: word.asked.weight,
      documentFrequency: this.#sets.frequencyOf(word),
      lists: byScoredField(word.lists),
    }));
    const scores = scoreMatches(documents, matched, this.#lengthNorms(), this.#scoringSpace);
    applyTiers(documents, scores, {
      exactNames: this.named(question),
      nameBeginnings: this.beginning(question),
      otherAccents: words.flatMap((word) => this.#withOtherAccents(word)),
    });
    return scores;
  }

  /** The documents that have a word with other accents than the question's only. */
  #withOtherAccents({ asked, lists, termOf }: AnsweredWord): number[] {
    const isExact = (term: number): boolean => {
      const text = this.#terms.termAt(term);
      return asked.terms.some((one) => sameAccents(one, text));
    };
    const exactTerms = new Set([...new Set(termOf)].filter(isExact));
    const exact = lists.filter((_, i) => exactTerms.has(termOf[i]!));
    const others = lists.filter((_, i) => !exactTerms.has(termOf[i]!));
    const documents = others.flatMap((list) => [...list.documents]);
    for (const list of exact) list.needFrequencies();
    return documents.filter((number) => exact.every((list) => list.get(number) === undefined));
  }

  #occurrencesOf({ terms: asked }: QuestionWord): WordOccurrences {
    return this.#recentWords.get(asked.join(' '), () => {
      const numbers = new Set(asked.flatMap((term) => this.#terms.find(asItStands(term))));
      const found = [...numbers].flatMap((number) => [...this.#listsOf(number, FILES)]);
      return this.#reader.wordOf(byScoredField(found), this.#lengthNorms());
    });
  }
}

/** By scored field, ready for their frequencies. */
function byScoredField(lists: readonly PostingList[]): PostingList[][] {
  const fields: PostingList[][] = SCORED_FIELDS.map(() => []);
  for (const list of lists) fields[SCORED_OF[list.field]!]!.push(list.needFrequencies());
  return fields;
}
