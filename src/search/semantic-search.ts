import { type Comparator, topOf } from '../arrays/top.js';
import { allCopiesOf, collapseCopies } from '../copies/collapse-copies.js';
import { copyPreference } from '../copies/copy-preference.js';
import { FIELD_WEIGHTS } from '../keyword/bm25.js';
import type { KeywordIndex, RankedDocuments } from '../keyword/keyword-index.js';
import type { Question } from '../keyword/question.js';
import type { ResolvedSemanticQuery } from '../query.js';
import { COMPARED } from '../ranking/calibration.js';
import { type AskedQuestion, HybridScorer, type Judged, type NameMatch } from '../ranking/hybrid.js';
import { comparatorOf } from '../ranking/ranks.js';
import type { ScoreParts } from '../result.js';
import { sentencesOf } from '../semantic/sentences.js';
import type { CatalogueColumns } from '../store/read/columns.js';
import { untilAborted } from '../threads/abort.js';
import type { VectorSearch } from './vector-search.js';

/** So many of the best of each side compete for a place among the hits, and of the names that begin with the question. */
const CANDIDATES = 100;

/** A document that is shown. */
export interface SemanticMatch {
  readonly number: number;
  /** 0 to 1. */
  readonly score: number;
  /** What the score is made of; worked out when it is asked for. */
  readonly parts: () => Omit<ScoreParts, 'copies'>;
  /** How many documents it stands for, itself included. */
  readonly copies: number;
}

export interface SemanticMatches {
  readonly confident: boolean;
  /** Best first. */
  readonly matches: readonly SemanticMatch[];
}

/** What a semantic search looks into. */
export interface SemanticSources {
  readonly columns: CatalogueColumns;
  /** Undefined where words do not count. */
  readonly words: KeywordIndex | undefined;
  /** Undefined where meaning does not count. */
  readonly vectors: VectorSearch | undefined;
}

/**
 * The documents that answer a question in plain language, best first.
 *
 * @param question the words of `query.q`
 * @param filter one byte a document, 0 where it may not be found
 * @throws {SkillSearchError} `EMBEDDER_FAILED`, `SERVICE_UNAVAILABLE`
 * @throws the signal's reason when aborted
 */
export async function searchByMeaning(
  sources: SemanticSources,
  query: ResolvedSemanticQuery,
  question: Question,
  filter: Uint8Array | undefined,
  signal: AbortSignal | undefined,
): Promise<SemanticMatches> {
  const { columns } = sources;
  const { judged, scorer } = await judgeCandidates(sources, query, question, filter, signal);
  const of = (number: number): Judged => judged.get(number) as Judged;
  const bySum = comparatorOf('relevance', columns, (number) => of(number).sum);
  const best: Comparator = (a, b) => of(b).group - of(a).group || bySum(a, b);
  // Copies may differ in their files, and in what the model made of white space: the best of them stands for all.
  const preference = copyPreference(columns);
  const all = [...judged.keys()];
  const { documents: numbers, counts } = collapseCopies(
    all,
    columns.copyGroup,
    (a, b) => of(b).group - of(a).group || of(b).sum - of(a).sum || preference(a, b),
  );
  const { scoreOf, partsOf, confident } = scorer.certaintyOf(topOf(numbers, best, 0, COMPARED).map(of));
  const collapsed = query.copies === 'collapse';
  const shown = (collapsed ? [...numbers] : all).filter((number) => scoreOf(of(number)) >= query.minScore);
  const matches = topOf(shown, best, 0, query.limit).map((number) => ({
    number,
    score: scoreOf(of(number)),
    parts: () => partsOf(of(number)),
    copies: collapsed ? (counts.get(number) ?? 1) : 1,
  }));
  return { confident, matches };
}

/** The documents that compete for an answer. */
export interface JudgedCandidates {
  readonly asked: AskedQuestion;
  readonly judged: ReadonlyMap<number, Judged>;
  readonly scorer: HybridScorer;
}

/**
 * Candidates are the best by words, the best by meaning, those of this name and of names that begin with it; each is then
 * scored on both sides, whichever it came from.
 */
export async function judgeCandidates(
  { columns, words, vectors }: SemanticSources,
  query: ResolvedSemanticQuery,
  question: Question,
  filter: Uint8Array | undefined,
  signal: AbortSignal | undefined,
): Promise<JudgedCandidates> {
  const { ranking } = query;
  const meaning = vectors === undefined ? undefined : readMeaning(vectors, query, filter, signal);
  // While the model's thread reads the question, this one looks up its words.
  meaning?.catch(() => {});
  const ranked = words === undefined ? undefined : rankWords(words, question, query, columns, filter);
  const names =
    words === undefined || ranking !== 'hybrid'
      ? NO_NAMES
      : matchNames(words, question, ranked, columns.copyGroup, filter);

  const { cosinesOf, nearest, readable } = (await meaning) ?? NO_MEANING;
  const byWords = [...(ranked?.documents ?? []), ...names.competing];
  const candidates = [...gatherCandidates(byWords, vectors, nearest, filter)];
  const competing = query.copies === 'collapse' ? withCopies(candidates, columns, filter) : candidates;

  const cosines = cosinesOf(competing);
  const asked: AskedQuestion = {
    ranking,
    highest: ranked?.highest ?? 0,
    readable,
    usualCosine: medianOf([...cosines.values()].map(([cosine = 0]) => cosine)),
    skills: columns.size,
    words: question.looseWords.reduce((sum, { weight }) => sum + weight, 0),
  };
  const scorer = new HybridScorer(asked);
  const judged = new Map<number, Judged>();
  const ascending = Uint32Array.from(competing).sort();
  const byWordsOf = ranked?.scoresOf(ascending);
  for (const [i, number] of ascending.entries()) {
    const [cosine, ...ofSentences] = cosines.get(number) ?? [];
    if (ranking === 'vector' && cosine === undefined) continue;
    const sentence = ofSentences.length === 0 ? undefined : Math.max(...ofSentences);
    const candidate = { number, cosine, sentence, words: byWordsOf?.[i] };
    judged.set(number, scorer.judge(candidate, names.matches.get(number) ?? 'other'));
  }
  return { asked, judged, scorer };
}

/** How near a question is to documents. */
interface Meaning {
  /** Places of the nearest vectors. */
  readonly nearest: Uint32Array;
  /** Cosines of those of some documents that have a vector: of the question, and of each of its sentences if it has several. */
  readonly cosinesOf: (documents: readonly number[]) => ReadonlyMap<number, readonly number[]>;
  /** Share of the question that the model can read, 0 to 1. */
  readonly readable: number;
}

const NO_MEANING: Meaning = { nearest: new Uint32Array(0), cosinesOf: () => new Map(), readable: 1 };

async function readMeaning(
  vectors: VectorSearch,
  { q, ranking }: ResolvedSemanticQuery,
  filter: Uint8Array | undefined,
  signal: AbortSignal | undefined,
): Promise<Meaning> {
  const readable = vectors.readableShare(q);
  const sentences = ranking === 'hybrid' && readable > 0 ? sentencesOf(q) : [];
  const embedded = await untilAborted(vectors.embed([q, ...sentences], signal), signal);
  const nearest = await untilAborted(vectors.nearest(embedded[0]!, CANDIDATES, filter), signal);
  return { nearest, cosinesOf: (documents) => vectors.cosines(embedded, documents), readable };
}

/** Where copies are shown as one, the best are looked up until so many different ones are found: mostly a few more will do. */
function rankWords(
  words: KeywordIndex,
  question: Question,
  { copies }: ResolvedSemanticQuery,
  { copyGroup }: CatalogueColumns,
  filter: Uint8Array | undefined,
): RankedDocuments {
  const weights = FIELD_WEIGHTS;
  if (copies === 'keep') return words.rank(question, { weights, limit: CANDIDATES, filter });
  for (let limit = CANDIDATES * 1.25; ; limit *= 4) {
    const ranked = words.rank(question, { weights, limit, filter });
    const groups = new Set<number>();
    const enough = ranked.documents.findIndex((number) => groups.add(copyGroup[number]!).size === CANDIDATES);
    if (enough >= 0) {
      const [documents, scores] = [ranked.documents.subarray(0, enough + 1), ranked.scores.subarray(0, enough + 1)];
      return { ...ranked, documents, scores };
    }
    if (ranked.documents.length < limit) return ranked;
  }
}

/** The middle one, the lower of two; 0 of none. */
function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) / 2)] ?? 0;
}

/** Documents whose names are the question, or begin with it. */
interface Names {
  readonly matches: ReadonlyMap<number, NameMatch>;
  /** Those that compete: all of the name, and copies of the best hundred different ones that begin so. */
  readonly competing: readonly number[];
}

const NO_NAMES: Names = { matches: new Map(), competing: [] };

function matchNames(
  words: KeywordIndex,
  question: Question,
  ranked: RankedDocuments | undefined,
  copyGroup: Uint32Array,
  filter: Uint8Array | undefined,
): Names {
  const named = passing(words.named(question), filter);
  const beginning = Uint32Array.from(passing(words.beginning(question), filter));
  const scores = ranked?.scoresOf(beginning) ?? [];
  const scoreAt = (i: number): number => scores[i]!.score;
  const groups = new Set<number>();
  const competing = [...named];
  for (const i of [...beginning.keys()].sort((a, b) => scoreAt(b) - scoreAt(a) || a - b)) {
    const group = copyGroup[beginning[i]!]!;
    if (groups.size === CANDIDATES && !groups.has(group)) continue;
    groups.add(group);
    competing.push(beginning[i]!);
  }
  const matches = new Map<number, NameMatch>(Array.from(beginning, (number) => [number, 'beginning']));
  for (const number of named) matches.set(number, 'exact');
  return { matches, competing };
}

/** Documents that are among those found by words, or have one of the nearest vectors. */
function gatherCandidates(
  byWords: readonly number[],
  vectors: VectorSearch | undefined,
  nearest: Uint32Array,
  filter: Uint8Array | undefined,
): Set<number> {
  const found = new Set(passing(byWords, filter));
  if (vectors === undefined) return found;
  for (const place of nearest) for (const number of passing(vectors.documentsAt(place), filter)) found.add(number);
  return found;
}

/** All documents that are copies of a candidate, the candidates included. */
function withCopies(
  candidates: readonly number[],
  { copyGroup }: CatalogueColumns,
  filter: Uint8Array | undefined,
): number[] {
  return passing(allCopiesOf(candidates, copyGroup), filter);
}

/** Those of some documents that may be found. */
function passing(numbers: Iterable<number>, filter: Uint8Array | undefined): number[] {
  const all = [...numbers];
  return filter === undefined ? all : all.filter((number) => filter[number] === 1);
}
