import {
  type Argument,
  anyOf,
  checkInteger,
  checkNumber,
  checkOptions,
  checkSignal,
  type DocumentNumber,
  giveWay,
  inTurns,
  type JoinedSignal,
  MAX_LONGEST_WAIT,
  namesOf,
  optionOf,
  SkillSearchError,
  topOf,
  untilAborted,
} from '../core/index.js';
import { askedWords, readQuestion } from '../keyword/index.js';
import { type ResolvedSemanticQuery, resolveSemanticQuery, type SemanticQuery } from '../query.js';
import type { DamagedSkill, SemanticHit, SemanticResult, SimilarSkill } from '../result.js';
import { allCopiesOf, type CatalogueColumns, collapseCopies, copyPreference, prepareCopies } from '../store/index.js';
import type { SemanticSources } from './gather-candidates.js';
import { copyIds, damagedPart, readShown, Shown, toDamagedSkill, toSemanticHit } from './hits.js';
import type { NearestDocuments } from './nearest-documents.js';
import type { OpenState } from './open-state.js';
import { describeCandidates, rankCandidates } from './rank-candidates.js';
import { filterMask } from './ranking/filter-mask.js';
import { comparatorOf } from './ranking/ranks.js';
import type { SemanticAnswer, SemanticOptions, SimilarOptions } from './skill-search.js';

/** How many ids of copies an explained hit lists at most; see `ScoreParts.copies`. */
const MOST_COPY_IDS = 100;

const SEMANTIC_OPTIONS = namesOf<SemanticOptions>({ signal: true, longestWait: true });

/** Answers a question in plain language; see `SkillSearch.semantic`. */
export async function searchByMeaning(
  state: OpenState,
  query: SemanticQuery,
  options: SemanticOptions = {},
): Promise<SemanticAnswer> {
  checkOptions(options, SEMANTIC_OPTIONS);
  const patience = new Patience(options.longestWait);
  let joined: JoinedSignal | undefined;
  try {
    state.closing.throwIfAborted();
    const resolved = resolveSemanticQuery(query);
    const callersSignal = checkSignal(options.signal);
    callersSignal?.throwIfAborted();
    joined = anyOf([state.closing, callersSignal, patience.signal]);
    return await answerByMeaning(state, resolved, joined.signal, patience);
  } finally {
    joined?.end();
    patience.end();
  }
}

async function answerByMeaning(
  state: OpenState,
  resolved: ResolvedSemanticQuery,
  signal: AbortSignal,
  patience: Patience,
): Promise<SemanticAnswer> {
  const { columns } = state.reader;
  const { ranking, q, explain } = resolved;
  await giveWay(signal);
  const sources = await openSources(state, resolved, signal);
  await giveWay(signal);
  // Before anything is done for the question, so that one which is refused costs nothing.
  patience.check(sources.vectors?.expectedWait(resolved.q) ?? 0);
  await giveWay(signal);
  const question = readQuestion(q, state.stopWords);
  await giveWay(signal);
  const filter = filterMask(columns, resolved);
  await giveWay(signal);
  const described = await state.untilClosed(describeCandidates(sources, resolved, question, filter, signal));
  const { reader } = state;
  const asked = askedWords(question);
  const copyIdsOf = explain
    ? (document: DocumentNumber): string[] => copyIds(reader, document, 0, MOST_COPY_IDS)
    : undefined;
  const damaged = described.damaged.map((document) =>
    toDamagedSkill(reader.idOrUndefined(document), 'its vector is damaged, so it is ranked by words alone'),
  );
  const show = function* (): Generator<undefined, { confident: boolean; hits: SemanticHit[] }, undefined> {
    const { matches, confident } = rankCandidates(described, resolved, columns);
    const shown = new Shown<SemanticHit>(damaged);
    for (const match of matches) {
      yield;
      shown.add(() => reader.reading(() => toSemanticHit(reader, match, asked, copyIdsOf)));
    }
    return { confident, hits: shown.all() };
  };
  const { confident, hits } = await inTurns(show(), signal);
  const { vectors } = sources;
  const result: SemanticResult = {
    ranking,
    ...(vectors === undefined ? {} : { model: vectors.model }),
    confident,
    ...(described.truncated ? { truncated: true } : {}),
    hits,
    ...damagedPart(reader, damaged),
  };
  return { result, vector: described.questionVector };
}

/** Opens what a ranking needs. */
export async function openSources(
  state: OpenState,
  { ranking }: Pick<ResolvedSemanticQuery, 'ranking'>,
  signal: AbortSignal,
): Promise<SemanticSources> {
  const { columns } = state.reader;
  const words = ranking === 'vector' ? undefined : state.keywordIndex;
  const vectors = ranking === 'words' ? undefined : await state.untilClosed(untilAborted(state.vectors(), signal));
  return { columns, words, vectors };
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

/** Longest time that the model reads a question, in milliseconds, beside its wait. Usual are some hundredths. */
const MAX_READING_TIME = 10_000;

const LONGEST_WAIT: Argument = { name: 'longestWait', code: 'INVALID_OPTION' };

/** How long a semantic search waits for the model. A search with a limit fails with `BUSY` beyond it. */
class Patience {
  /** Aborted, with `BUSY` as its reason, when the model has not answered in time; undefined without a limit. */
  readonly signal: AbortSignal | undefined;
  /** In milliseconds. */
  readonly #longestWait: number;
  readonly #timer: NodeJS.Timeout | undefined;

  /**
   * @param longestWait seconds until the question is read; undefined or 0 for no limit
   * @throws {SkillSearchError} `INVALID_OPTION`
   */
  constructor(longestWait: number | undefined) {
    const seconds = checkNumber(LONGEST_WAIT, longestWait, 0, MAX_LONGEST_WAIT);
    this.#longestWait = (seconds || Number.POSITIVE_INFINITY) * 1000;
    if (this.#longestWait === Number.POSITIVE_INFINITY) return;
    const late = new AbortController();
    this.signal = late.signal;
    const stop = (): void => late.abort(busy('the model has not answered in time', this.#longestWait));
    this.#timer = setTimeout(stop, this.#longestWait + MAX_READING_TIME);
  }

  /**
   * @param expected milliseconds until the question would be read
   * @throws {SkillSearchError} `BUSY` if that is too long
   */
  check(expected: number): void {
    if (expected <= this.#longestWait) return;
    const seconds = Math.ceil(expected / 1000);
    throw busy(`too many questions wait for the model: ${seconds} s of work`, expected - this.#longestWait);
  }

  /** Call it once the search has ended. */
  end(): void {
    clearTimeout(this.#timer);
  }
}

function busy(reason: string, wait: number): SkillSearchError {
  const retryAfter = Math.max(1, Math.ceil(wait / 1000));
  return new SkillSearchError('BUSY', `${reason}; try again in ${retryAfter} s`, { retryAfter });
}
