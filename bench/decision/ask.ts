import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_SEMANTIC_QUERY_LENGTH, requestIn } from '../../src/core/index.js';
import { glossQuestion, readQuestion } from '../../src/keyword/index.js';
import { resolveSemanticQuery } from '../../src/query.js';
import { RANKINGS, type Ranking } from '../../src/result.js';
import { openCatalogue } from '../../src/search/open-catalogue.js';
import type { OpenState } from '../../src/search/open-state.js';
import { describeCandidates } from '../../src/search/rank-candidates.js';
import type { Decision, DecisionValues } from '../../src/search/ranking/decision.js';
import { COMPARED, HybridScorer } from '../../src/search/ranking/hybrid.js';
import { openSources } from '../../src/search/semantic-search.js';
import { collapseCopies } from '../../src/store/index.js';
import { type Half, type HomeQuestion, PUBLISHED, questionsOf } from './questions.js';

/** How a home answered a question by one ranking. */
export interface Asked extends Omit<HomeQuestion, 'useful'> {
  readonly ranking: Ranking;
  readonly skills: number;
  readonly values: DecisionValues;
  readonly decision: Decision;
  /** Of the question, and the model that it is of; by words there is none. */
  readonly vector: Float32Array | undefined;
  readonly model: string | undefined;
  /** Whether any skill of the home is useful. */
  readonly served: boolean;
  /** The first hits, at most ten, the best first: what each is ranked by, as a part of the highest sum, and its use. */
  readonly hits: readonly { readonly sum: number; readonly useful: boolean }[];
}

/** Asks the questions of a half of all homes that are in the folder. */
export async function askHomes(folder: string, half: Half): Promise<Asked[]> {
  const questions = questionsOf(half);
  const asked: Asked[] = [];
  for (const home of new Set(questions.map((question) => question.home))) {
    const database = join(folder, `${home}.db`);
    if (!existsSync(database)) {
      console.error(`${home}: not in ${folder}${home === PUBLISHED ? ' (made with --published)' : ''}`);
      continue;
    }
    const state = await openCatalogue({ database, warmUp: true });
    const own = questions.filter((question) => question.home === home);
    for (const question of own) for (const ranking of RANKINGS) asked.push(...(await ask(state, question, ranking)));
    await state.close();
    console.error(`${home}: ${own.length} questions`);
  }
  return asked;
}

/** Nothing for a question that is not looked up. */
async function ask(
  state: OpenState,
  { useful = {}, ...question }: HomeQuestion,
  ranking: Ranking,
): Promise<readonly Asked[]> {
  const q = requestIn(question.text, MAX_SEMANTIC_QUERY_LENGTH);
  if (!/[\p{L}\p{N}]/u.test(q)) return [];
  const query = resolveSemanticQuery({ q, ranking });
  const { reader } = state;
  const { copyGroup, size } = reader.columns;
  const sources = await openSources(state, query, state.closing);
  const read = readQuestion(q, state.how.stopWords);
  const { context, candidates, questionVector } = await describeCandidates({
    ...{ sources, query, question: read, gloss: glossQuestion(q, read), filter: undefined, signal: state.closing },
  });
  const scorer = new HybridScorer(context);
  const scored = new Map(candidates.map((candidate) => [candidate.document, scorer.score(candidate)]));
  const inOrder = (a: number, b: number): number => {
    const [one, other] = [scored.get(a)!, scored.get(b)!];
    return other.nameRank - one.nameRank || other.sum - one.sum || a - b;
  };
  const { documents } = collapseCopies([...scored.keys()], copyGroup, inOrder);
  const best = [...documents].sort(inOrder).slice(0, COMPARED);
  const groups = new Set(Object.keys(useful).map((id) => copyGroup[reader.documentOf(id) ?? -1]));
  const values = scorer.valuesFor(best.map((document) => scored.get(document)!));
  const first = scored.get(best[0] ?? -1)?.sum ?? 0;
  const hits = best.map((document) => ({
    sum: first === 0 ? 0 : (values.sum * scored.get(document)!.sum) / first,
    useful: groups.has(copyGroup[document]),
  }));
  const { decision } = scorer.calibrate(best.map((document) => scored.get(document)!));
  return [
    {
      ...question,
      ranking,
      skills: size,
      values,
      decision,
      served: groups.size > 0,
      hits,
      vector: questionVector,
      model: sources.vectors?.model,
    },
  ];
}
