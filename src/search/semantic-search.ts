import type { DocumentNumber } from '../core/index.js';
import {
  anyOf,
  checkOptions,
  checkSignal,
  giveWay,
  inTurns,
  type JoinedSignal,
  namesOf,
  untilAborted,
} from '../core/index.js';
import { askedWords, readQuestion } from '../keyword/index.js';
import { type ResolvedSemanticQuery, resolveSemanticQuery, type SemanticQuery } from '../query.js';
import type { SemanticHit, SemanticResult } from '../result.js';
import { copyIds } from './copy-ids.js';
import { damagedPart, Shown, toDamagedSkill } from './damaged-skills.js';
import { describeCandidates } from './describe-candidates.js';
import type { SemanticSources } from './gather-candidates.js';
import { toSemanticHit } from './hits.js';
import type { OpenState } from './open-state.js';
import { Patience } from './patience.js';
import { noteQuestionVector } from './question-vector-of.js';
import { rankCandidates } from './rank-candidates.js';
import { filterMask } from './ranking/filter-mask.js';
import type { SemanticOptions } from './skill-search.js';

/** How many ids of copies an explained hit lists at most; see `ScoreParts.copies`. */
const MOST_COPY_IDS = 100;

const SEMANTIC_OPTIONS = namesOf<SemanticOptions>({ signal: true, longestWait: true });

/** Answers a question in plain language; see `SkillSearch.semantic`. */
export async function searchByMeaning(
  state: OpenState,
  query: SemanticQuery,
  options: SemanticOptions = {},
): Promise<SemanticResult> {
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
): Promise<SemanticResult> {
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
  noteQuestionVector(result, described.questionVector);
  return result;
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
