import { FOREIGN_TERMS, type JudgedQuestion, TERMS, withoutMeaning } from './judged-questions.js';
import { fitListwise } from './listwise.js';

/**
 * The fitted weights of `data/ranking.json`, as values of `TERMS`. Those of the first pass are set by hand and stay:
 * fitted ones, for use or for one right answer, did worse by the sets with one right answer (bench/README.md).
 */
export interface Fitted {
  readonly readable: Float64Array;
  readonly glossed: Float64Array;
  readonly foreign: Float64Array;
}

/**
 * Fits all weights. `glossed` begins at `readable`: there are few questions of that kind. `foreign` is fitted to the questions that the model was not made for, and to all others as if their
 * meaning were not known: there are too few of the former to tell what words are worth.
 */
export function fittedTo(questions: readonly JudgedQuestion[]): Fitted {
  const counting = questions.filter(({ weight }) => weight > 0);
  const judged = counting.map(judgedOnly);
  const [own, foreign] = [judged.filter((one) => !one.foreign), judged.filter((one) => one.foreign)];
  const readable = fitListwise(own.filter((one) => !one.glossed));
  const inOthers = own.filter((one) => one.glossed);
  const glossed = inOthers.length === 0 ? readable : fitListwise(inOthers, TERMS, readable);
  const plain = own.filter(({ graded, glossed: inOther }) => !graded && !inOther);
  const byWords = (plain.length === 0 ? own : plain).map(withoutMeaning);
  return { readable, glossed, foreign: fitListwise([...foreign, ...byWords], FOREIGN_TERMS) };
}

/**
 * A graded question without the candidates that have no grade: nobody has said that they are useless. Those that any
 * finalist shows were graded.
 */
function judgedOnly(question: JudgedQuestion): JudgedQuestion {
  const { graded, judged, values, gains, groups, cosines, words } = question;
  if (!graded) return question;
  const kept = [...judged.keys()].filter((i) => judged[i] === 1);
  const size = TERMS.length;
  return {
    ...question,
    values: Float64Array.from(kept.flatMap((i) => [...values.subarray(i * size, (i + 1) * size)])),
    gains: Float64Array.from(kept, (i) => gains[i]!),
    judged: Uint8Array.from(kept, () => 1),
    groups: kept.map((i) => groups[i]!),
    cosines: Float64Array.from(kept, (i) => cosines[i]!),
    words: Float64Array.from(kept, (i) => words[i]!),
  };
}
