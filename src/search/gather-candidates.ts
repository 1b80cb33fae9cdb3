import type { DocumentNumber, Pieces, VectorPlace } from '../core/index.js';
import { giveWay, inTurns, OneAtATime, untilAborted } from '../core/index.js';
import type { KeywordIndex, Question, RankedDocuments } from '../keyword/index.js';
import { FIELD_WEIGHTS, Work } from '../keyword/index.js';
import type { ResolvedSemanticQuery } from '../query.js';
import type { CatalogueColumns } from '../store/index.js';
import { copiesOf, copyPreference, prepareCopies } from '../store/index.js';
import type { DocumentVectors } from './nearest-documents.js';
import type { NameMatch } from './ranking/features.js';
import type { VectorSearch } from './vector-search.js';

/**
 * How many documents compete for an answer: the best so many by words, by meaning, and by names that begin with the
 * question. As many as a semantic search may return (`MAX_SEMANTIC_LIMIT`), so that each way alone could fill an
 * answer.
 */
const CANDIDATES = 100;

/** Of more copies than this of one skill only some compete: those that were found first, and the preferred one. */
const MOST_COPIES = 100;

/** How many documents are ranked by words at most, to have {@link CANDIDATES} groups of copies. */
const MOST_RANKED = CANDIDATES * MOST_COPIES;

/** What a semantic search looks into. */
export interface SemanticSources {
  readonly columns: CatalogueColumns;
  /** Undefined for `ranking: 'vector'`, which ignores words. */
  readonly words: KeywordIndex | undefined;
  /** Undefined for `ranking: 'words'`, which ignores meaning. */
  readonly vectors: VectorSearch | undefined;
}

/** The documents that compete for an answer, and what the ways that found them know of any document. */
export interface GatheredCandidates {
  /** Ascending. */
  readonly documents: Uint32Array;
  readonly ranked: RankedDocuments | undefined;
  /** Names that are not here match neither way. */
  readonly nameMatches: ReadonlyMap<DocumentNumber, NameMatch>;
  readonly meaning: Meaning;
  /** The vectors of the documents; undefined by words. */
  readonly vectors: DocumentVectors | undefined;
  /** How many documents may be found of each group of copies of which only some are here. */
  readonly groupSizes: ReadonlyMap<DocumentNumber, number>;
  /** Whether there was not enough work for all words. */
  readonly truncated: boolean;
}

/**
 * Gathers the documents that compete for an answer: the best by words, the best by meaning, those with the question as
 * their name or as its beginning; and the copies of all these, if copies are collapsed.
 *
 * @param filter one byte a document, 0 if it may not be found
 */
export async function gatherCandidates(
  sources: SemanticSources,
  query: ResolvedSemanticQuery,
  question: Question,
  filter: Uint8Array | undefined,
  signal: AbortSignal | undefined,
): Promise<GatheredCandidates> {
  const { columns, words, vectors } = sources;
  const reading = vectors === undefined ? undefined : readMeaning(vectors, query, question.language, filter, signal);
  // Awaited below. While the model's thread reads the question, this one looks up its words. This catch only prevents
  // an unhandled rejection.
  reading?.catch(() => {});
  const work = Work.forQuestion(columns.size);
  const groupSizes = new Map<DocumentNumber, number>();
  const withCopies = (found: Iterable<DocumentNumber>): Uint32Array =>
    Uint32Array.from(query.copies === 'collapse' ? withTheirCopies(found, columns, filter, groupSizes) : found).sort();
  const lookUp = (from: KeywordIndex): Pieces<FoundByWords> =>
    lookUpWords(from, sources, { query, question, filter, work, withCopies });
  const byWords = words === undefined ? undefined : await lookUpsOf(words).run(() => inTurns(lookUp(words), signal));

  const meaning = (await reading) ?? NO_MEANING;
  if (query.copies === 'collapse') await inTurns(prepareCopies(columns.copyGroup), signal);
  await giveWay(signal);
  const found = new Set(byWords?.documents);
  if (vectors !== undefined) {
    for (const place of meaning.nearest) {
      for (const document of passing(vectors.documents.documentsAt(place), filter)) found.add(document);
    }
  }
  const documents = withCopies(found);
  await giveWay(signal);
  return {
    documents,
    ranked: byWords?.ranked,
    nameMatches: byWords?.names.matches ?? NO_NAMES.matches,
    meaning,
    vectors: vectors?.documents.read(documents, byWords?.vectors),
    groupSizes,
    truncated: work.truncated,
  };
}

/** How near a question is to documents. */
interface Meaning {
  /** The places of the nearest vectors, of type {@link VectorPlace}. */
  readonly nearest: Uint32Array;
  /** The vector of the whole question; undefined by words. */
  readonly whole: Float32Array | undefined;
  /** The vectors of its sentences, if it has several. They may come later. */
  readonly sentences: Promise<readonly Float32Array[]>;
  /** Share of the question that the model can read, 0 to 1. */
  readonly readable: number;
  /** Whether the model reads the language of the question. */
  readonly readsLanguage: boolean;
}

const NO_MEANING: Meaning = {
  nearest: new Uint32Array(0),
  whole: undefined,
  sentences: Promise.resolve([]),
  readable: 1,
  readsLanguage: true,
};

async function readMeaning(
  vectors: VectorSearch,
  { q, ranking }: ResolvedSemanticQuery,
  language: string,
  filter: Uint8Array | undefined,
  signal: AbortSignal | undefined,
): Promise<Meaning> {
  const readable = vectors.readableShare(q);
  const readsLanguage = vectors.readsLanguage(language);
  const hasSentences = ranking === 'hybrid' && readable > 0;
  const embedded = vectors.embed(q, { sentences: hasSentences, signal });
  const sentences = untilAborted(embedded.sentences, signal);
  // Whoever needs them awaits them. This catch only prevents an unhandled rejection.
  sentences.catch(() => {});
  const whole = await untilAborted(embedded.whole, signal);
  await giveWay(signal);
  const nearest = await untilAborted(vectors.documents.nearest(whole, CANDIDATES, filter), signal);
  return { nearest, whole, sentences, readable, readsLanguage };
}

/** What the words of a question find. */
interface FoundByWords {
  readonly ranked: RankedDocuments;
  readonly names: Names;
  readonly documents: readonly DocumentNumber[];
  /** The vectors of these and of their copies; undefined by words alone. */
  readonly vectors: DocumentVectors | undefined;
}

/** A question, and what its words are looked up with. */
interface LookUp {
  readonly query: ResolvedSemanticQuery;
  readonly question: Question;
  readonly filter: Uint8Array | undefined;
  readonly work: Work;
  /** Some documents and, if copies are collapsed, their copies; ascending. */
  readonly withCopies: (found: Iterable<DocumentNumber>) => Uint32Array;
}

/** The look-ups of each index: one at a time, because each that is on its way has working space of its own. */
const lookUps = new WeakMap<KeywordIndex, OneAtATime>();

function lookUpsOf(words: KeywordIndex): OneAtATime {
  const known = lookUps.get(words) ?? new OneAtATime();
  lookUps.set(words, known);
  return known;
}

/**
 * Finds documents by words, and reads of them what every answer needs: while the model's thread reads the question,
 * this one has nothing else to do.
 */
function* lookUpWords(
  words: KeywordIndex,
  { columns, vectors }: SemanticSources,
  lookUp: LookUp,
): Pieces<FoundByWords> {
  const { query, question, filter, withCopies } = lookUp;
  const ranked = yield* rankWords(words, columns, lookUp);
  const names = query.ranking === 'hybrid' ? matchNames(words, question, ranked, columns.copyGroup, filter) : NO_NAMES;
  yield;
  if (query.copies === 'collapse') yield* prepareCopies(columns.copyGroup);
  const documents = [...new Set(passing([...ranked.documents, ...names.competing], filter))];
  const all = withCopies(documents);
  yield;
  ranked.scoresOf(all);
  yield;
  const read = vectors?.documents.read(all);
  yield;
  return { ranked, names, documents, vectors: read };
}

/**
 * The best documents by words. If copies are collapsed, as many as it takes to have {@link CANDIDATES} groups of
 * copies: as a rule a quarter more is enough, so a second attempt is rare. There is none if there is not enough work
 * for it.
 */
function* rankWords(
  words: KeywordIndex,
  { copyGroup }: CatalogueColumns,
  { query: { copies }, question, filter, work }: LookUp,
): Pieces<RankedDocuments> {
  const weights = FIELD_WEIGHTS;
  if (copies === 'keep') return yield* words.rank(question, { weights, limit: CANDIDATES, filter, work });
  for (let limit = CANDIDATES * 1.25; ; limit *= 4) {
    const before = work.spent;
    const ranked = yield* words.rank(question, { weights, limit, filter, work });
    const cost = work.spent - before;
    const groups = new Set<number>();
    const enough = ranked.documents.findIndex((document) => groups.add(copyGroup[document]!).size === CANDIDATES);
    if (enough >= 0) {
      const [documents, scores] = [ranked.documents.subarray(0, enough + 1), ranked.scores.subarray(0, enough + 1)];
      return { ...ranked, documents, scores };
    }
    if (ranked.documents.length < limit) return ranked;
    if (work.left < cost || limit * 4 > MOST_RANKED) {
      work.truncate();
      return ranked;
    }
  }
}

/** Documents whose names are the question, or begin with it. */
interface Names {
  readonly matches: ReadonlyMap<DocumentNumber, NameMatch>;
  /** All with exactly this name, and those of the best {@link CANDIDATES} groups of copies that begin with it. */
  readonly competing: readonly DocumentNumber[];
}

const NO_NAMES: Names = { matches: new Map(), competing: [] };

function matchNames(
  words: KeywordIndex,
  question: Question,
  ranked: RankedDocuments,
  copyGroup: Uint32Array,
  filter: Uint8Array | undefined,
): Names {
  const exact = passing(words.named(question), filter);
  const beginning = Uint32Array.from(passing(words.beginning(question), filter));
  const scores = ranked.scoresOf(beginning);
  const scoreAt = (i: number): number => scores[i]!.score;
  const groups = new Set<number>();
  const competing = [...exact];
  for (const i of [...beginning.keys()].sort((a, b) => scoreAt(b) - scoreAt(a) || a - b)) {
    const document = beginning[i]!;
    const group = copyGroup[document]!;
    if (groups.size === CANDIDATES && !groups.has(group)) continue;
    groups.add(group);
    competing.push(document);
  }
  const matches = new Map<DocumentNumber, NameMatch>(Array.from(beginning, (document) => [document, 'beginning']));
  for (const document of exact) matches.set(document, 'exact');
  return { matches, competing };
}

/**
 * Some documents and their copies, each once.
 *
 * @param groupSizes gets the sizes of the groups that have more than {@link MOST_COPIES}
 */
function withTheirCopies(
  found: Iterable<DocumentNumber>,
  columns: CatalogueColumns,
  filter: Uint8Array | undefined,
  groupSizes: Map<DocumentNumber, number>,
): Set<DocumentNumber> {
  const { copyGroup } = columns;
  const preference = copyPreference(columns);
  const all = new Set<DocumentNumber>();
  const taken = new Map<DocumentNumber, number>();
  for (const document of found) {
    const group = copyGroup[document]!;
    const count = taken.get(group) ?? 0;
    taken.set(group, count + 1);
    const copies = copiesOf(document, copyGroup);
    if (copies.length > MOST_COPIES) {
      if (count < MOST_COPIES) all.add(document);
    } else if (count === 0) {
      for (const copy of passing(copies, filter)) all.add(copy);
    }
    if (count > 0 || copies.length <= MOST_COPIES) continue;
    let [preferred, size] = [document, 0];
    for (const copy of copies) {
      if (filter !== undefined && filter[copy] === 0) continue;
      size += 1;
      if (preference(copy, preferred) < 0) preferred = copy;
    }
    all.add(preferred);
    groupSizes.set(group, size);
  }
  return all;
}

/** Those of some documents that may be found. */
function passing(documents: Iterable<DocumentNumber>, filter: Uint8Array | undefined): DocumentNumber[] {
  const all = [...documents];
  return filter === undefined ? all : all.filter((document) => filter[document] === 1);
}
