import { untilAborted } from './abort.js';
import type { KeywordIndex, RankedDocuments } from './keyword/keyword-index.js';
import type { Question } from './keyword/question.js';
import type { ResolvedSemanticQuery } from './query.js';
import { collapseCopies } from './ranking/copies.js';
import { type ScoredCandidate, scoreCandidate, WORD_WEIGHTS } from './ranking/hybrid.js';
import { Members } from './ranking/members.js';
import { comparatorOf, copyPreference } from './ranking/ranks.js';
import { topOf } from './ranking/top.js';
import type { CatalogueColumns } from './store/columns.js';
import type { VectorSearch } from './vector-search.js';

/** So many of the best of each side compete for a place among the hits. */
const CANDIDATES = 100;

/** A document that is shown. */
export interface SemanticMatch extends ScoredCandidate {
  /** How many documents it stands for, itself included. */
  readonly copies: number;
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
 * Candidates are the best by words, the best by meaning and those of exactly this name; each is then scored on both
 * sides, whichever it came from.
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
): Promise<SemanticMatch[]> {
  const { columns, words, vectors } = sources;
  const meaning = vectors === undefined ? undefined : readMeaning(vectors, query.q, filter, signal);
  // While the model's thread reads the question, this one looks up its words.
  meaning?.catch(() => {});
  const ranked = words === undefined ? undefined : rankWords(words, question, query, columns, filter);
  const named = new Set(words?.named(question));

  const { cosinesOf, nearest } = (await meaning) ?? NO_MEANING;
  const byWords = [...(ranked?.numbers ?? []), ...(query.ranking === 'words' ? [] : named)];
  const candidates = [...gatherCandidates(byWords, vectors, nearest, filter)];
  const collapsed = query.copies === 'collapse';
  const competing = collapsed ? withCopies(candidates, columns, filter) : candidates;

  const cosines = cosinesOf(competing);
  const scale = { highest: ranked?.highest ?? 0, size: columns.size };
  const scored = new Map<number, ScoredCandidate>();
  const ascending = Uint32Array.from(competing).sort();
  const byWordsOf = ranked?.scoresOf(ascending);
  for (const [i, number] of ascending.entries()) {
    const cosine = cosines.get(number);
    if (query.ranking === 'vector' && cosine === undefined) continue;
    const words = { bm25: byWordsOf?.[i]?.fields, coverage: byWordsOf?.[i]?.coverage };
    scored.set(
      number,
      scoreCandidate({ number, cosine, ...words, exactName: named.has(number) }, scale, query.ranking),
    );
  }
  const scoreOf = (number: number): number => (scored.get(number) as ScoredCandidate).score;
  // Copies may differ in their files, and in what the model made of white space: the best of them stands for all.
  const preference = copyPreference(columns);
  const { numbers, counts } = collapsed
    ? collapseCopies([...scored.keys()], columns.copyGroup, (a, b) => scoreOf(b) - scoreOf(a) || preference(a, b))
    : { numbers: [...scored.keys()], counts: new Map<number, number>() };
  const shown = numbers.filter((number) => scoreOf(number) >= query.minScore);
  return topOf(shown, comparatorOf('relevance', columns, scoreOf), 0, query.limit).map((number) => ({
    ...(scored.get(number) as ScoredCandidate),
    copies: counts.get(number) ?? 1,
  }));
}

/** How near a question is to documents. */
interface Meaning {
  /** Places of the nearest vectors. */
  readonly nearest: Uint32Array;
  /** Cosines of those of some documents that have a vector. */
  readonly cosinesOf: (documents: readonly number[]) => ReadonlyMap<number, number>;
}

const NO_MEANING: Meaning = { nearest: new Uint32Array(0), cosinesOf: () => new Map() };

async function readMeaning(
  vectors: VectorSearch,
  q: string,
  filter: Uint8Array | undefined,
  signal: AbortSignal | undefined,
): Promise<Meaning> {
  const vector = await untilAborted(vectors.embed(q, signal), signal);
  const nearest = await untilAborted(vectors.nearest(vector, CANDIDATES, filter), signal);
  return { nearest, cosinesOf: (documents) => vectors.cosines(vector, documents) };
}

/** Where copies are shown as one, the best are looked up until so many different ones are found. */
function rankWords(
  words: KeywordIndex,
  question: Question,
  { copies }: ResolvedSemanticQuery,
  { copyGroup }: CatalogueColumns,
  filter: Uint8Array | undefined,
): RankedDocuments {
  for (let limit = CANDIDATES; ; limit *= 4) {
    const ranked = words.rank(question, { weights: WORD_WEIGHTS, limit, filter });
    if (copies === 'keep' || ranked.numbers.length < limit) return ranked;
    const groups = new Set(Array.from(ranked.numbers, (number) => copyGroup[number]));
    if (groups.size >= CANDIDATES) return ranked;
  }
}

/** Documents that are among those found by words, or have one of the nearest vectors. */
function gatherCandidates(
  byWords: readonly number[],
  vectors: VectorSearch | undefined,
  nearest: Uint32Array,
  filter: Uint8Array | undefined,
): Set<number> {
  const passes = (number: number): boolean => filter === undefined || filter[number] === 1;
  const found = new Set<number>(byWords.filter(passes));
  if (vectors === undefined) return found;
  for (const place of nearest) for (const number of vectors.documentsAt(place)) if (passes(number)) found.add(number);
  return found;
}

/** All documents that are copies of a candidate, the candidates included. */
function withCopies(
  candidates: readonly number[],
  { copyGroup }: CatalogueColumns,
  filter: Uint8Array | undefined,
): number[] {
  const members = membersOf(copyGroup);
  const groups = new Set(candidates.map((number) => copyGroup[number] as number));
  const all = [...groups].flatMap((group) => [...members.of(group)]);
  return filter === undefined ? all : all.filter((number) => filter[number] === 1);
}

/** By the groups of a catalogue, which stay as they are: made when copies are first looked for. */
const membersByGroups = new WeakMap<Uint32Array, Members>();

function membersOf(copyGroup: Uint32Array): Members {
  const known = membersByGroups.get(copyGroup);
  if (known !== undefined) return known;
  // Groups are named by one of their documents.
  const members = new Members(copyGroup, copyGroup.length);
  membersByGroups.set(copyGroup, members);
  return members;
}
