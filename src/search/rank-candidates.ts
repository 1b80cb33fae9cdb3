import {
  appendTo,
  type Comparator,
  type DocumentNumber,
  giveWay,
  inTurns,
  OneAtATime,
  type Pieces,
  topOf,
  untilAborted,
} from '../core/index.js';
import {
  type DocumentScores,
  FIELD_WEIGHTS,
  type KeywordIndex,
  type Question,
  type RankedDocuments,
  Work,
} from '../keyword/index.js';
import type { ResolvedSemanticQuery } from '../query.js';
import { SCORED_FIELDS, type ScoreParts } from '../result.js';
import { type CatalogueColumns, collapseCopies, copiesOf, copyPreference, prepareCopies } from '../store/index.js';
import type { DocumentVectors } from './nearest-documents.js';
import { oncePer } from './once.js';
import {
  ARRANGED,
  type Arranged,
  type Asker,
  arrangeAlike,
  askerOf,
  meansAuthor,
  type SkillFacts,
} from './ranking/alike.js';
import { type Decision, raisedTo, taskScore } from './ranking/decision.js';
import { type Candidate, type NameMatch, rankingModel } from './ranking/features.js';
import { COMPARED, HybridScorer, type QuestionContext, type ScoredCandidate } from './ranking/hybrid.js';
import { comparatorOf } from './ranking/ranks.js';
import { raiseUsed } from './usage.js';
import type { EmbeddedQuestion, VectorSearch } from './vector-search.js';

/** A document that is shown. */
export interface SemanticMatch {
  readonly document: DocumentNumber;
  /** 0 to 1. */
  readonly score: number;
  /** Works out what the score is made of. */
  readonly parts: () => Omit<ScoreParts, 'copies'>;
  /** How many documents it stands for, itself and {@link twins} included. */
  readonly copies: number;
  /** Documents that it is shown for; see `arrangeAlike`. */
  readonly twins: readonly DocumentNumber[];
  /** What its name is to the question: no use puts it above a better name. */
  readonly nameRank: number;
  /** How much uses for near questions speak for it, 0 to 1. */
  readonly usage: number;
}

/**
 * Scores the candidates, collapses copies, and puts what is left in order, the best first.
 *
 * @param used how much uses for near questions speak for skills, by group of copies; they move the first few
 */
export function* rankCandidates(
  { asker, context, candidates, groupSizes, vectors }: DescribedCandidates,
  query: ResolvedSemanticQuery,
  { columns, factsOf }: SemanticSources,
  used: ReadonlyMap<DocumentNumber, number> = new Map(),
): Pieces<{ readonly decision: Decision; readonly matches: readonly SemanticMatch[] }> {
  const scorer = new HybridScorer(context);
  const byDocument = new Map(candidates.map((candidate) => [candidate.document, scorer.score(candidate)]));
  const of = (document: DocumentNumber): ScoredCandidate => byDocument.get(document)!;
  const byName: Comparator = (a, b) => of(b).nameRank - of(a).nameRank;
  const bySum = comparatorOf('relevance', columns, (document) => of(document).sum);
  const best: Comparator = (a, b) => byName(a, b) || bySum(a, b);
  // Copies may have different files, and vectors that differ a little. The best of them stands for all.
  const preference = copyPreference(columns);
  const all = [...byDocument.keys()];
  const { documents: distinct, counts } = collapseCopies(
    all,
    columns.copyGroup,
    (a, b) => byName(a, b) || of(b).sum - of(a).sum || preference(a, b),
  );
  const isCollapsed = query.copies === 'collapse';
  const shown = topOf(isCollapsed ? distinct : all, best, 0, query.limit + ARRANGED).map(of);
  const cosineOf = (a: DocumentNumber, b: DocumentNumber): number | undefined => vectors?.cosineOf(a, b);
  const arranged: readonly Arranged[] =
    query.ranking === 'hybrid'
      ? yield* arrangeAlike(shown.slice(0, ARRANGED), asker, factsOf, cosineOf, isCollapsed)
      : shown.slice(0, ARRANGED).map(unmoved);
  const { scoreOf, partsOf, decision } = scorer.calibrate(
    topOf(distinct, best, 0, COMPARED).map(of),
    arranged.map(({ scored, sum }) => ({ ...scored, sum })),
  );
  const sizeOf = (document: DocumentNumber): number =>
    isCollapsed ? (groupSizes.get(columns.copyGroup[document]!) ?? counts.get(document) ?? 1) : 1;
  const inOrder: SemanticMatch[] = [];
  let lowest = 1;
  for (const { scored, sum, evidence, twins } of [...arranged, ...shown.slice(ARRANGED).map(unmoved)]) {
    const { document } = scored.candidate;
    const same = [document, ...twins];
    const moved = { ...scored, sum };
    lowest = Math.min(lowest, scoreOf(moved));
    if (lowest < query.minScore) break;
    inOrder.push({
      document,
      nameRank: scored.nameRank,
      score: lowest,
      parts: () => ({ ...partsOf(moved), ...(query.ranking === 'hybrid' && { evidence }) }),
      twins,
      copies: same.reduce((total, one) => total + sizeOf(one), 0),
      usage: Math.max(...same.map((one) => used.get(columns.copyGroup[one]!) ?? 0)),
    });
  }
  // All are put in order whatever the limit, or what is shown would depend on it.
  const raised = used.size === 0 ? inOrder : raiseUsed(inOrder);
  const matches = raised.slice(0, query.limit);
  const [first] = matches;
  // Scores of names have ranges of their own, and say nothing of how likely a hit is.
  const isRaised = used.size > 0 && first?.nameRank === 0;
  return { decision: isRaised ? raisedTo(first.score, decision) : decision, matches };
}

function unmoved(scored: ScoredCandidate): Arranged {
  return { scored, sum: scored.sum, evidence: 0, twins: [] };
}

/** What is asked, and of what. */
export interface Asked {
  readonly sources: SemanticSources;
  readonly query: ResolvedSemanticQuery;
  readonly question: Question;
  /** What the question is in English, if it is in another language. */
  readonly gloss: Question | undefined;
  /** One byte a document, 0 if it may not be found. */
  readonly filter: Uint8Array | undefined;
  readonly signal: AbortSignal | undefined;
}

/** What a semantic search looks into. */
export interface SemanticSources {
  readonly columns: CatalogueColumns;
  /** Undefined for a damaged skill. */
  readonly factsOf: (document: DocumentNumber) => SkillFacts | undefined;
  /** Undefined for `ranking: 'vector'`, which ignores words. */
  readonly words: KeywordIndex | undefined;
  /** Undefined for `ranking: 'words'`, which ignores meaning. */
  readonly vectors: VectorSearch | undefined;
}

/** All that the scores of an answer depend on. */
export interface DescribedCandidates {
  readonly asker: Asker;
  readonly context: QuestionContext;
  /** By ascending document number. */
  readonly candidates: readonly Candidate[];
  /** How many documents may be found of each group of copies of which only some are here. */
  readonly groupSizes: ReadonlyMap<DocumentNumber, number>;
  /** Whether there was not enough work for all words. */
  readonly truncated: boolean;
  /** Documents without a cosine because their vector is damaged. */
  readonly damaged: readonly DocumentNumber[];
  /** Of the whole question; undefined by words. */
  readonly questionVector: Float32Array | undefined;
  /** Of the candidates; undefined by words. */
  readonly vectors: DocumentVectors | undefined;
}

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

/**
 * Gathers the documents that compete for an answer: the best by words, the best by meaning, those with the question as
 * their name or as its beginning; and the copies of all these, if copies are collapsed. Describes each by words and by
 * meaning, whichever of the two found it.
 *
 * @throws {SkillSearchError} `EMBEDDER_FAILED`, `SERVICE_UNAVAILABLE`
 * @throws the signal's reason when aborted
 */
export async function describeCandidates(asked: Asked): Promise<DescribedCandidates> {
  const { sources, query, filter, signal } = asked;
  const { columns, words, vectors } = sources;
  const reading = vectors === undefined ? undefined : readMeaning(vectors, asked);
  // Awaited below. While the model's thread reads the question, this one looks up its words. This catch only prevents
  // an unhandled rejection.
  reading?.catch(() => {});
  const work = Work.forQuestion(columns.size);
  const groupSizes = new Map<DocumentNumber, number>();
  const withCopies = (found: Iterable<DocumentNumber>): Uint32Array =>
    Uint32Array.from(query.copies === 'collapse' ? withTheirCopies(found, columns, filter, groupSizes) : found).sort();
  const byWords =
    words === undefined
      ? undefined
      : await lookUpsOf(words).run(() => inTurns(lookUpWords(words, asked, work, withCopies), signal));

  const meaning = await reading;
  if (query.copies === 'collapse') await inTurns(prepareCopies(columns.copyGroup), signal);
  await giveWay(signal);
  const found = new Set(byWords?.documents);
  for (const place of meaning?.nearest ?? []) {
    for (const document of passing(vectors!.documents.documentsAt(place), filter)) found.add(document);
  }
  const documents = withCopies(found);
  await giveWay(signal);
  const read = vectors?.documents.read(documents, byWords?.vectors);
  const sentences = (await meaning?.sentences) ?? [];
  const described = describeInPieces(asked, documents, byWords, meaning, sentences, read);
  return { ...(await inTurns(described, signal)), groupSizes, truncated: work.truncated };
}

/** How near a question is to documents. */
interface Meaning extends Pick<EmbeddedQuestion, 'sentences' | 'readable' | 'readsLanguage'> {
  /** The places of the vectors that are nearest to {@link whole}, of type `VectorPlace`. */
  readonly nearest: Uint32Array;
  /** The vector of the whole question; of one that is also asked in English, the direction between both. */
  readonly whole: Float32Array;
  /** The vector of the whole question in its own language. */
  readonly own: Float32Array;
}

async function readMeaning(vectors: VectorSearch, { query, question, gloss, filter, signal }: Asked): Promise<Meaning> {
  const embedded = vectors.embed(question, { gloss, sentences: query.ranking === 'hybrid', signal });
  const sentences = untilAborted(embedded.sentences, signal);
  // Awaited later. This catch only prevents an unhandled rejection.
  sentences.catch(() => {});
  const { own, vector: whole } = await untilAborted(embedded.whole, signal);
  await giveWay(signal);
  const nearest = await untilAborted(vectors.documents.nearest(whole, CANDIDATES, filter), signal);
  return { nearest, whole, own, sentences, readable: embedded.readable, readsLanguage: embedded.readsLanguage };
}

function* describeInPieces(
  { sources, query: { ranking, q }, question, gloss }: Asked,
  documents: Uint32Array,
  byWords: FoundByWords | undefined,
  meaning: Meaning | undefined,
  sentences: readonly Float32Array[],
  vectors: DocumentVectors | undefined,
): Pieces<Omit<DescribedCandidates, 'groupSizes' | 'truncated'>> {
  const { columns } = sources;
  const wordScores = byWords?.ranked.scoresOf(documents);
  yield;
  const wholes = meaning === undefined ? [] : [...new Set([meaning.own, meaning.whole])];
  const cosines = meaning && vectors?.cosines([...wholes, ...sentences]);
  yield;
  const asker = askerOf(question, gloss);
  const candidates: Candidate[] = [];
  for (const [i, document] of documents.entries()) {
    const ofAll = cosines?.get(document);
    // A skill in the question's language is nearer to the question's own vector, an English one to the other.
    const cosine = ofAll && Math.max(...ofAll.slice(0, wholes.length));
    const ofSentences = ofAll?.slice(wholes.length) ?? [];
    if (ranking === 'vector' && cosine === undefined) continue;
    candidates.push({
      document,
      nameMatch: byWords?.names.matches.get(document) ?? 'other',
      cosine,
      sentence: ofSentences.length === 0 ? undefined : Math.max(...ofSentences),
      feedback: undefined,
      stars: columns.stars[document]!,
      words: wordScores && byAuthorIfMeant(wordScores[i]!, asker, () => sources.factsOf(document)),
    });
  }
  const words = asker.length;
  const context: QuestionContext = {
    ranking,
    highest: byWords?.ranked.highest ?? 0,
    glossed: gloss !== undefined,
    readable: meaning?.readable ?? 1,
    inModelLanguage: meaning?.readsLanguage ?? true,
    usualCosine: medianOf(candidates.flatMap(({ cosine }) => cosine ?? [])),
    usualFeedback: 0,
    skills: columns.size,
    words,
    isOneWord: words <= 1 && !/\s/.test(q),
    task: taskScore(
      q,
      meaning && { vector: meaning.whole, model: sources.vectors!.model },
      rankingModel().decision.task,
    ),
  };
  const others = { asker, vectors, damaged: vectors?.damaged ?? [], questionVector: meaning?.whole };
  if (ranking !== 'hybrid' || vectors === undefined) return { context, candidates, ...others };
  yield;
  const fedBack =
    candidates.length < FEWEST_WITH_FEEDBACK
      ? withoutFeedback(candidates, context)
      : withFeedback(candidates, context, vectors, columns.copyGroup);
  const { usualFeedback } = fedBack;
  return { context: { ...context, usualFeedback }, candidates: fedBack.candidates, ...others };
}

/** An author's name counts only where the question means the author. */
function byAuthorIfMeant(scores: DocumentScores, asker: Asker, read: () => SkillFacts | undefined): DocumentScores {
  if (scores.fields.author === 0) return scores;
  const facts = read();
  return facts !== undefined && meansAuthor(asker, facts)
    ? scores
    : { ...scores, fields: { ...scores.fields, author: 0 } };
}

/** What the words of a question find. */
interface FoundByWords {
  readonly ranked: Ranked;
  readonly names: Names;
  readonly documents: readonly DocumentNumber[];
  /** The vectors of these and of their copies; undefined by words alone. */
  readonly vectors: DocumentVectors | undefined;
}

/** The look-ups of each index: one at a time, because each that is on its way has working space of its own. */
const lookUpsOf = oncePer((_: KeywordIndex) => new OneAtATime());

/**
 * Finds documents by words, and reads of them what every answer needs: while the model's thread reads the question,
 * this one has nothing else to do.
 *
 * @param withCopies gives some documents and, if copies are collapsed, their copies; ascending
 */
function* lookUpWords(
  words: KeywordIndex,
  asked: Asked,
  work: Work,
  withCopies: (found: Iterable<DocumentNumber>) => Uint32Array,
): Pieces<FoundByWords> {
  const { sources, query, question, gloss, filter } = asked;
  const { copyGroup } = sources.columns;
  const own = yield* rankWords(words, asked, work);
  const ranked = gloss === undefined ? own : both(own, yield* rankWords(words, { ...asked, question: gloss }, work));
  const names = query.ranking === 'hybrid' ? matchNames(words, question, ranked, copyGroup, filter) : NO_NAMES;
  yield;
  if (query.copies === 'collapse') yield* prepareCopies(copyGroup);
  const documents = [...new Set(passing([...ranked.documents, ...names.competing], filter))];
  const all = withCopies(documents);
  yield;
  ranked.scoresOf(all);
  yield;
  const vectors = sources.vectors?.documents.read(all);
  yield;
  return { ranked, names, documents, vectors };
}

/** What is found by some words. */
interface Ranked extends Pick<RankedDocuments, 'highest' | 'scoresOf'> {
  /** The best first. */
  readonly documents: Iterable<DocumentNumber>;
}

/**
 * What a question's own words find and what these are in English, added up: of a catalogue in the question's language
 * the former says more, of an English one the latter, and a mixed one has skills of both.
 */
function both(own: RankedDocuments, gloss: RankedDocuments): Ranked {
  const sum = (one: DocumentScores, other: DocumentScores): DocumentScores => ({
    score: one.score + other.score,
    fields: Object.fromEntries(
      SCORED_FIELDS.map((field) => [field, one.fields[field] + other.fields[field]]),
    ) as unknown as DocumentScores['fields'],
    coverage: Math.min(1, one.coverage + other.coverage),
    fileTerms: one.fileTerms,
  });
  const scoresOf = (documents: Uint32Array): DocumentScores[] => {
    const others = gloss.scoresOf(documents);
    return own.scoresOf(documents).map((scores, i) => sum(scores, others[i]!));
  };
  const found = Uint32Array.from(new Set([...own.documents, ...gloss.documents])).sort();
  const scores = new Map(scoresOf(found).map(({ score }, i) => [found[i]!, score]));
  const best: Comparator = (a, b) => scores.get(b)! - scores.get(a)! || a - b;
  const count = Math.max(own.documents.length, gloss.documents.length);
  return { documents: topOf(found, best, 0, count), highest: Math.max(own.highest, gloss.highest), scoresOf };
}

/**
 * The best documents by words. If copies are collapsed, as many as it takes to have {@link CANDIDATES} groups of
 * copies: as a rule a quarter more is enough, so a second attempt is rare. There is none if there is not enough work
 * for it.
 */
function* rankWords(
  words: KeywordIndex,
  { sources, query: { copies }, question, filter }: Asked,
  work: Work,
): Pieces<RankedDocuments> {
  const { copyGroup } = sources.columns;
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
  ranked: Ranked,
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
 * @param found documents that pass the filter
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
  const byGroup = new Map<DocumentNumber, DocumentNumber[]>();
  for (const document of found) appendTo(byGroup, copyGroup[document]!, document);
  const all = new Set<DocumentNumber>();
  for (const [group, some] of byGroup) {
    const copies = copiesOf(group, copyGroup);
    const members = passing(copies, filter);
    const isLarge = copies.length > MOST_COPIES;
    for (const document of isLarge ? some.slice(0, MOST_COPIES) : members) all.add(document);
    if (!isLarge) continue;
    all.add(members.reduce((best, copy) => (preference(copy, best) < 0 ? copy : best), some[0]!));
    groupSizes.set(group, members.length);
  }
  return all;
}

/** Those of some documents that may be found. */
function passing(documents: Iterable<DocumentNumber>, filter: Uint8Array | undefined): DocumentNumber[] {
  const all = [...documents];
  return filter === undefined ? all : all.filter((document) => filter[document] === 1);
}

/** Each of few candidates would speak mostly for itself, whatever was asked. The question speaks in their place. */
function withoutFeedback(candidates: readonly Candidate[], { readable, usualCosine }: QuestionContext): FedBack {
  return {
    candidates: candidates.map((candidate) => {
      const { cosine } = candidate;
      return cosine === undefined ? candidate : { ...candidate, feedback: readable * cosine };
    }),
    usualFeedback: readable * usualCosine,
  };
}

/** How many of the best candidates speak for the question. Those beyond would count next to nothing. */
const BEST = 20;

/**
 * How fast those count less: by e to the difference of sums, divided by this. Of .2, .3, .5, 1 and 2, and ten that
 * count the same, this gains most for graded requests at the least cost where one skill alone is right
 * (bench/README.md).
 */
const TEMPERATURE = 0.5;

/**
 * With fewer candidates the best ones are a good part of all there is, and say little of the question. As many as each
 * way of finding candidates gives in a large catalogue.
 */
const FEWEST_WITH_FEEDBACK = 100;

/** Candidates that know how near they are to the best of them. */
export interface FedBack {
  readonly candidates: readonly Candidate[];
  /** The median of {@link Candidate.feedback}; 0 if there is none. */
  readonly usualFeedback: number;
}

/**
 * Pseudo-relevance feedback: how near each candidate is to the mean vector of the best ones of a first ranking, taken
 * as right the more, the higher their sums (J. Rocchio, Relevance feedback in information retrieval, 1971). What many
 * of the best have in common, the question means; it moves up what says the same in other words, and down what shares a
 * word by chance. It counts by the share of the best that have a vector.
 *
 * @param candidates without feedback, in any order
 * @param copyGroup group of copies of each document; each group speaks once
 */
export function withFeedback(
  candidates: readonly Candidate[],
  context: QuestionContext,
  vectors: DocumentVectors,
  copyGroup: Uint32Array,
): FedBack {
  const scorer = new HybridScorer(context, 'first');
  const sums = new Map(candidates.map((candidate) => [candidate.document, scorer.score(candidate).sum]));
  const bySum: Comparator = (a, b) => sums.get(b)! - sums.get(a)! || a - b;
  const { documents } = collapseCopies([...sums.keys()], copyGroup, bySum);
  const best = topOf(documents, bySum, 0, BEST);
  const highest = sums.get(best[0] ?? -1) ?? 0;
  const weights = new Map(best.map((one) => [one, Math.exp((sums.get(one)! - highest) / TEMPERATURE)]));
  const mean = vectors.mean(weights);
  if (mean === undefined) return { candidates, usualFeedback: 0 };
  const cosines: ReadonlyMap<DocumentNumber, readonly number[]> = vectors.cosines([mean]);
  let [spoken, all] = [0, 0];
  for (const [document, weight] of weights) {
    all += weight;
    if (cosines.has(document)) spoken += weight;
  }
  // The best may have no vector. Those that have one must not speak for them.
  const feedback = new Map(Array.from(cosines, ([document, [cosine = 0]]) => [document, (spoken / all) * cosine]));
  return {
    candidates: candidates.map((candidate) => ({ ...candidate, feedback: feedback.get(candidate.document) })),
    usualFeedback: medianOf([...feedback.values()]),
  };
}

/** The median, the lower of two middle values; 0 if there are none. */
function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
}
