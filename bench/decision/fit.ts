import type { Ranking } from '../../src/result.js';
import {
  DECISION_FEATURES,
  type DecisionFeature,
  type DecisionRule,
  type DecisionWeight,
  oddsOf,
  probabilityOf,
  TASK_PLACES,
  type TaskModel,
  type TaskRule,
  taskPlaces,
  taskScore,
} from '../../src/search/ranking/decision.js';
import { solve } from '../ranking/solve.js';
import type { Asked } from './ask.js';
import type { HomeQuestion } from './questions.js';

/** Features that a ranking does not have, or that would count its sum twice. */
const WITHOUT: Readonly<Record<Ranking, readonly DecisionFeature[]>> = {
  hybrid: ['name'],
  vector: ['cosine', 'coverage', 'name', 'description', 'covered'],
  words: ['cosine'],
};

const RIDGE = 2;
const MOST_STEPS = 50;

/** Of the tasks that no skill serves at most so many are above a threshold. */
const [CONFIDENT, PERHAPS] = [0.11, 0.16];

/** What is no task, whatever the home. */
const IDLE: ReadonlySet<string> = new Set(['talk', 'remark', 'chore', 'agent', 'long']);
export const isIdle = ({ kind }: Pick<HomeQuestion, 'kind'>): boolean => IDLE.has(kind);
/** Messages of machines are not looked up. */
export const isMachine = ({ kind }: Pick<HomeQuestion, 'kind'>): boolean => kind === 'machine';

/** The rule of a ranking. @param asked the half to fit, with scores of the task by rules that did not see the text */
export function fitRule(asked: readonly Asked[], ranking: Ranking): DecisionRule {
  const rows = asked.filter((one) => one.ranking === ranking && !isMachine(one) && one.hits.length > 0);
  const used = DECISION_FEATURES.filter((name) => !WITHOUT[ranking].includes(name));
  const bySize = used.filter((name) => name !== 'size' && name !== 'task' && name !== 'glossed');
  const fitted = logistic(
    rows.map(({ values }) => [
      ...used.map((name) => values[name]),
      ...bySize.map((name) => values[name] * values.size),
    ]),
    rows.map(({ hits }) => (hits[0]!.useful ? 1 : 0)),
    rows.map(({ weight }) => weight),
  );
  const fittedOf = (name: DecisionFeature, of: readonly DecisionFeature[], from: number): number =>
    of.includes(name) ? fitted[from + of.indexOf(name)]! : 0;
  const weights = Object.fromEntries(
    DECISION_FEATURES.map((name): [DecisionFeature, DecisionWeight] => [
      name,
      { weight: fittedOf(name, used, 0), bySize: fittedOf(name, bySize, used.length) },
    ]),
  ) as DecisionRule['weights'];
  const unserved = rows.filter((one) => !one.served && !isIdle(one));
  const unfit = unserved.reduce((sum, { values }) => sum + values.sum, 0) / unserved.length;
  const rule = { weights, intercept: fitted.at(-1)!, later: 1, unfit, confident: 0, perhaps: 0 };
  const [confident, perhaps] = [lineAbove(unserved, rule, CONFIDENT), lineAbove(unserved, rule, PERHAPS)];
  return { ...rule, later: fitLater(rows, rule), confident, perhaps };
}

/** The probability that a share of some questions, by their weights, lies above. */
function lineAbove(rows: readonly Asked[], rule: DecisionRule, share: number): number {
  const above = rows
    .map(({ values, weight }) => ({ probability: probabilityOf(oddsOf(values, rule)), weight }))
    .sort((a, b) => b.probability - a.probability);
  let left = share * above.reduce((sum, { weight }) => sum + weight, 0);
  for (const { probability, weight } of above) {
    left -= weight;
    if (left < 0) return probability;
  }
  return 0;
}

/** How fast later hits get less useful: a logistic function of how far they are below, from the odds of the first. */
function fitLater(rows: readonly Asked[], rule: DecisionRule): number {
  let fitted = 1;
  for (let step = 0; step < MOST_STEPS; step++) {
    let [gradient, information] = [0, 1e-9];
    for (const { hits, values, served } of rows) {
      if (!served) continue;
      const odds = oddsOf(values, rule);
      for (const { sum, useful } of hits.slice(1)) {
        const below = sum - hits[0]!.sum;
        const expected = 1 / (1 + Math.exp(-(odds + fitted * below)));
        gradient += ((useful ? 1 : 0) - expected) * below;
        information += expected * (1 - expected) * below ** 2;
      }
    }
    fitted = Math.max(0.1, fitted + Math.max(-2, Math.min(2, gradient / information)));
  }
  return fitted;
}

/** Logistic regression of greatest likelihood by Newton's method, with a ridge on weights of features of equal spread. */
function logistic(rows: readonly (readonly number[])[], right: readonly number[], weight: readonly number[]): number[] {
  const size = rows[0]!.length;
  const total = weight.reduce((sum, one) => sum + one, 0);
  const mean = (of: (row: number) => number): number => rows.reduce((sum, _, i) => sum + weight[i]! * of(i), 0) / total;
  const means = rows[0]!.map((_, at) => mean((i) => rows[i]![at]!));
  const spreads = means.map((middle, at) => Math.sqrt(mean((i) => (rows[i]![at]! - middle) ** 2)) || 1);
  const scaled = rows.map((row) => [...row.map((value, at) => (value - means[at]!) / spreads[at]!), 1]);
  const fitted = new Float64Array(size + 1);
  for (let step = 0; step < MOST_STEPS; step++) {
    const gradient = new Float64Array(size + 1);
    const information = new Float64Array((size + 1) ** 2);
    for (let at = 0; at <= size; at++) {
      const ridge = at < size ? RIDGE : 1e-9;
      gradient[at] = -ridge * fitted[at]!;
      information[at * (size + 2)] = ridge;
    }
    for (const [i, row] of scaled.entries()) {
      const expected = 1 / (1 + Math.exp(-row.reduce((sum, value, at) => sum + value * fitted[at]!, 0)));
      const [error, spread] = [weight[i]! * (right[i]! - expected), weight[i]! * expected * (1 - expected)];
      for (let at = 0; at <= size; at++) {
        gradient[at]! += error * row[at]!;
        for (let k = 0; k <= at; k++) information[at * (size + 1) + k]! += spread * row[at]! * row[k]!;
      }
    }
    const change = solve(information, gradient);
    for (let at = 0; at <= size; at++) fitted[at]! += change[at]!;
    if (Math.max(...change.map(Math.abs)) < 1e-9) break;
  }
  const weights = means.map((_, at) => fitted[at]! / spreads[at]!);
  return [...weights, fitted[size]! - weights.reduce((sum, one, at) => sum + one * means[at]!, 0)];
}

/** A vector, as the places of its values other than 0. */
interface TaskExample {
  readonly places: readonly number[];
  readonly values: readonly number[];
  readonly isTask: boolean;
  readonly fold: number;
}

const FOLDS = 5;
const TASK_RIDGE = 0.3;
const TASK_STEPS = 400;

/** The rules of what is a task, and how far a question is one by rules that did not see it, nor others of its writer. */
export function fitTask(asked: readonly Asked[]): {
  readonly task: TaskModel;
  readonly scoreOf: (question: Asked) => number;
} {
  const writers: string[] = [];
  const folds = new Map<string, number>();
  const chosen: Asked[] = [];
  for (const question of asked) {
    const { text, ranking } = question;
    if (isMachine(question) || ranking !== 'hybrid' || folds.has(text)) continue;
    const writer = question.writer ?? (isIdle(question) ? `idle ${folds.size % FOLDS}` : question.home);
    if (!writers.includes(writer)) writers.push(writer);
    folds.set(text, writers.indexOf(writer) % FOLDS);
    chosen.push(question);
  }
  const { model } = chosen[0]!;
  const byWords = chosen.map((question): TaskExample => {
    const places = [...taskPlaces(question.text)];
    const values = places.map(() => 1 / Math.sqrt(places.length));
    return { places, values, isTask: !isIdle(question), fold: folds.get(question.text)! };
  });
  const byVector = chosen.map((question): TaskExample => {
    const values = [...question.vector!];
    return { places: [...values.keys()], values, isTask: !isIdle(question), fold: folds.get(question.text)! };
  });
  const fitTo = (isMeant: (example: TaskExample) => boolean): TaskModel => ({
    words: fitRuleOfTask(byWords.filter(isMeant), TASK_PLACES),
    vector: { model: model!, ...fitRuleOfTask(byVector.filter(isMeant), chosen[0]!.vector!.length) },
  });
  const task = fitTo(() => true);
  const unseen = Array.from({ length: FOLDS }, (_, fold) => fitTo((example) => example.fold !== fold));
  const scoreOf = ({ text, vector, model: of }: Asked): number =>
    taskScore(text, vector && { vector, model: of! }, unseen[folds.get(text) ?? -1] ?? task);
  return { task, scoreOf };
}

/** Logistic regression by accelerated gradient steps; tasks count as much as all other questions together. */
function fitRuleOfTask(examples: readonly TaskExample[], size: number): TaskRule {
  const tasks = examples.filter(({ isTask }) => isTask).length;
  const others = examples.length - tasks;
  const weightOf = (isTask: boolean): number => (isTask ? others / tasks : 1);
  // The curvature is nowhere greater: rows are at most of length √2, with the intercept.
  const step = 1 / (TASK_RIDGE + examples.reduce((sum, { isTask }) => sum + weightOf(isTask), 0) / 2);
  let fitted = new Float64Array(size + 1);
  let ahead = fitted;
  for (let i = 0; i < TASK_STEPS; i++) {
    const next = ahead.map((value, place) => value - (place < size ? step * TASK_RIDGE * value : 0));
    for (const { places, values, isTask } of examples) {
      const sum = places.reduce((total, place, at) => total + values[at]! * ahead[place]!, ahead[size]!);
      const push = step * weightOf(isTask) * ((isTask ? 1 : 0) - 1 / (1 + Math.exp(-sum)));
      for (const [at, place] of places.entries()) next[place]! += push * values[at]!;
      next[size]! += push;
    }
    const before = fitted;
    ahead = next.map((value, place) => value + (i / (i + 3)) * (value - before[place]!));
    fitted = next;
  }
  const weights = fitted.subarray(0, size);
  const scale = weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0) / 127;
  const bytes = Int8Array.from(weights, (weight) => Math.round(weight / scale));
  return { weights: Buffer.from(bytes.buffer).toString('base64'), scale, intercept: fitted[size]! };
}
