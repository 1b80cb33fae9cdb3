import {
  anyOf,
  checkFlag,
  checkInteger,
  checkNumber,
  checkOptions,
  checkSignal,
  type DocumentNumber,
  giveWay,
  inTurns,
  isDamage,
  MAX_LONGEST_WAIT,
  namesOf,
  optionOf,
  orUndefined,
  SkillSearchError,
  topOf,
  untilAborted,
} from '../core/index.js';
import { askedWords, correctQuestion, glossQuestion, readAsked } from '../keyword/index.js';
import { type ResolvedSemanticQuery, resolveSemanticQuery, type SemanticQuery } from '../query.js';
import type { DamagedSkill, SemanticHit, SemanticResult, SimilarSkill } from '../result.js';
import { allCopiesOf, type CatalogueColumns, collapseCopies, copyPreference, prepareCopies } from '../store/index.js';
import { copyIds, damagedPart, idOf, readShown, Shown, toSemanticHit } from './hits.js';
import type { NearestDocuments } from './nearest-documents.js';
import { oncePer } from './once.js';
import type { OpenState } from './open-state.js';
import { describeCandidates, rankCandidates, type SemanticMatch, type SemanticSources } from './rank-candidates.js';
import { factsOf, type SkillFacts } from './ranking/alike.js';
import type { Decision } from './ranking/decision.js';
import { filterMask } from './ranking/filter-mask.js';
import { comparatorOf } from './ranking/ranks.js';
import type { SemanticAnswer, SemanticOptions, SimilarOptions } from './skill-search.js';
import { usageStrengths } from './usage.js';

/** How many ids of copies an explained hit lists at most; see `ScoreParts.copies`. */
const MOST_COPY_IDS = 100;

const SEMANTIC_OPTIONS = namesOf<SemanticOptions>({ signal: true, longestWait: true, usage: true });

/** Longest time that the model reads a question, in milliseconds, beside its wait. Usual are some hundredths. */
const MAX_READING_TIME = 10_000;

/** Answers a question in plain language; see `SkillSearch.semantic`. */
export async function searchByMeaning(
  state: OpenState,
  query: SemanticQuery,
  options: SemanticOptions = {},
): Promise<SemanticAnswer> {
  checkOptions(options, SEMANTIC_OPTIONS);
  // In milliseconds. Without a limit it is endless.
  const longestWait =
    (checkNumber(optionOf('longestWait'), options.longestWait, 0, MAX_LONGEST_WAIT) || Number.POSITIVE_INFINITY) * 1000;
  state.closing.throwIfAborted();
  const resolved = resolveSemanticQuery(query);
  checkFlag('usage', options.usage);
  const callersSignal = checkSignal(options.signal);
  callersSignal?.throwIfAborted();
  const late = new AbortController();
  const giveUp = (): void => late.abort(busy('the model has not answered in time', longestWait));
  const timer =
    longestWait === Number.POSITIVE_INFINITY ? undefined : setTimeout(giveUp, longestWait + MAX_READING_TIME);
  const joined = anyOf([state.closing, callersSignal, timer === undefined ? undefined : late.signal]);
  try {
    return await answerByMeaning(state, resolved, joined.signal, longestWait, options.usage ?? true);
  } finally {
    joined.end();
    clearTimeout(timer);
  }
}

function busy(reason: string, wait: number): SkillSearchError {
  const retryAfter = Math.max(1, Math.ceil(wait / 1000));
  return new SkillSearchError('BUSY', `${reason}; try again in ${retryAfter} s`, { retryAfter });
}

async function answerByMeaning(
  state: OpenState,
  resolved: ResolvedSemanticQuery,
  signal: AbortSignal,
  longestWait: number,
  usage: boolean,
): Promise<SemanticAnswer> {
  const { columns } = state.reader;
  const { ranking, explain } = resolved;
  await giveWay(signal);
  const sources = await openSources(state, resolved, signal);
  await giveWay(signal);
  const { stopWords } = state.how;
  const read = readAsked(state.keywordIndex, resolved, stopWords, false);
  const gloss = state.how.gloss ? glossQuestion(read.text, read, stopWords) : undefined;
  // What is known of another language is not misspelt.
  const mayCorrect = resolved.corrections && gloss === undefined;
  const { question, corrected } = correctQuestion(state.keywordIndex, read, stopWords, mayCorrect);
  // Before more is done for the question, so that one which is refused costs next to nothing.
  const expected = Math.max(
    ...[question, gloss].map((asked) => (asked && sources.vectors?.expectedWait(asked.text)) ?? 0),
  );
  if (expected > longestWait) {
    const seconds = Math.ceil(expected / 1000);
    throw busy(`too many questions wait for the model: ${seconds} s of work`, expected - longestWait);
  }
  await giveWay(signal);
  const filter = filterMask(columns, resolved);
  await giveWay(signal);
  const described = await state.untilClosed(
    describeCandidates({ sources, query: { ...resolved, q: question.text }, question, gloss, filter, signal }),
  );
  const { reader } = state;
  const asked = gloss === undefined ? askedWords(question) : askedWords(question, gloss);
  const copyIdsOf = explain
    ? ({ document, twins }: SemanticMatch): string[] =>
        [document, ...twins].flatMap((one) => copyIds(reader, one, 0, MOST_COPY_IDS)).slice(0, MOST_COPY_IDS)
    : undefined;
  const damaged: DamagedSkill[] = described.damaged.map((document) => ({
    ...idOf(reader.idOrUndefined(document)),
    reason: 'its vector is damaged, so it is ranked by words alone',
  }));
  const used = usage && ranking === 'hybrid' ? usedGroups(state, described.questionVector, sources) : undefined;
  const show = function* (): Generator<undefined, { decision: Decision; hits: SemanticHit[] }> {
    const { matches, decision } = yield* rankCandidates(described, resolved, sources, used);
    const shown = new Shown<SemanticHit>(damaged);
    for (const match of matches) {
      yield;
      shown.add(() => reader.reading(() => toSemanticHit(reader, match, asked, copyIdsOf)));
    }
    return { decision, hits: shown.all() };
  };
  const { decision, hits } = await inTurns(show(), signal);
  const { vectors } = sources;
  const worth = Math.min(decision.worth, hits.length);
  const result: SemanticResult = {
    ranking,
    ...(vectors === undefined ? {} : { model: vectors.model }),
    worth,
    confident: worth > 0,
    ...(corrected.length === 0 ? {} : { corrected }),
    ...(gloss === undefined || ranking === 'vector' ? {} : { translated: gloss.parts }),
    ...(described.truncated ? { truncated: true } : {}),
    hits,
    ...damagedPart(reader, damaged),
  };
  return { result, vector: described.questionVector, decision };
}

/** How much uses for near questions speak for skills, by group of copies. */
function usedGroups(
  { reader, database, how }: OpenState,
  vector: Float32Array | undefined,
  { vectors }: SemanticSources,
): Map<DocumentNumber, number> {
  const groups = new Map<DocumentNumber, number>();
  if (!how.usage || database === undefined || vector === undefined || vectors === undefined) return groups;
  for (const [id, strength] of usageStrengths(database, vector, vectors.model)) {
    const document = reader.documentOf(id);
    const group = document === undefined ? undefined : reader.columns.copyGroup[document];
    // It may be gone.
    if (group !== undefined) groups.set(group, Math.max(strength, groups.get(group) ?? 0));
  }
  return groups;
}

/** So many skills are kept in mind: some megabytes. */
const MOST_FACTS = 10_000;

const factsIn = oncePer((_: CatalogueColumns) => new Map<DocumentNumber, SkillFacts>());

/** Opens what a ranking needs. */
export async function openSources(
  state: OpenState,
  { ranking }: Pick<ResolvedSemanticQuery, 'ranking'>,
  signal: AbortSignal,
): Promise<SemanticSources> {
  const { columns } = state.reader;
  const known = factsIn(columns);
  const factsOfDocument = (document: DocumentNumber): SkillFacts | undefined => {
    const kept = known.get(document);
    if (kept !== undefined) return kept;
    const facts = orUndefined(() => factsOf(state.reader.skill(document)), isDamage);
    if (known.size >= MOST_FACTS) known.clear();
    if (facts !== undefined) known.set(document, facts);
    return facts;
  };
  const words = ranking === 'vector' ? undefined : state.keywordIndex;
  const vectors = ranking === 'words' ? undefined : await state.untilClosed(untilAborted(state.vectors(), signal));
  return { columns, factsOf: factsOfDocument, words, vectors };
}

/** The greatest `limit` of similar skills: as for a semantic search. */
const MAX_SIMILAR = 100;

const DEFAULT_SIMILAR = 10;

/** Vectors that are looked at, at least: the index is approximate, and their exact cosines decide. */
const LOOKED_AT = 100;

const SIMILAR_OPTIONS = namesOf<SimilarOptions>({ limit: true });

/** The skills nearest to a skill; see `SkillSearch.similar`. */
export async function findSimilar(state: OpenState, id: string, options: SimilarOptions = {}): Promise<SimilarSkill[]> {
  checkOptions(options, SIMILAR_OPTIONS);
  const limit = checkInteger(optionOf('limit'), options.limit, 1, MAX_SIMILAR) ?? DEFAULT_SIMILAR;
  const nearest = await state.nearest();
  const { reader } = state;
  const { columns } = reader;
  const document = reader.documentOf(id);
  const vector = document === undefined ? undefined : nearest.read([document]).mean(new Map([[document, 1]]));
  if (document === undefined || vector === undefined) return [];

  await giveWay();
  await inTurns(prepareCopies(columns.copyGroup));
  const found = await state.untilClosed(copiesAround(nearest, document, vector, limit, columns));
  await giveWay();
  const cosines = nearest.read(found).cosines([vector]);
  const scoreOf = (other: DocumentNumber): number => Math.min(1, Math.max(-1, cosines.get(other)![0]!));
  const { documents, counts } = collapseCopies([...cosines.keys()], columns.copyGroup, copyPreference(columns));
  const shown = topOf(documents, comparatorOf('relevance', columns, scoreOf), 0, limit);
  // The list has no place for damaged skills. `check` and searches name them.
  const damaged: DamagedSkill[] = [];
  return state.reader.reading(() =>
    readShown(
      shown,
      (other) => ({ skill: reader.skill(other), score: scoreOf(other), copies: counts.get(other) ?? 1 }),
      damaged,
    ),
  );
}

/** The documents near a vector, of as many groups of copies as asked for, and all their copies; none of its own. */
async function copiesAround(
  nearest: NearestDocuments,
  document: DocumentNumber,
  vector: Float32Array,
  limit: number,
  { copyGroup }: CatalogueColumns,
): Promise<DocumentNumber[]> {
  const own = copyGroup[document]!;
  for (let count = Math.max(LOOKED_AT, 2 * limit); ; count *= 4) {
    const places = await nearest.nearest(vector, count);
    const firstOfGroup = new Map<number, DocumentNumber>();
    for (const place of places) {
      for (const other of nearest.documentsAt(place)) {
        const group = copyGroup[other]!;
        if (group !== own && !firstOfGroup.has(group)) firstOfGroup.set(group, other);
      }
    }
    if (firstOfGroup.size >= limit || places.length < count) return allCopiesOf([...firstOfGroup.values()], copyGroup);
  }
}
