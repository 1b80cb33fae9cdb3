import { readFileSync } from 'node:fs';
import { LEAST_USEFUL } from '../../src/evaluation/benchmark.js';

/** Rules are fitted to one half, and reported on the other. */
export type Half = 'fit' | 'report';

/** A question, and what is known of it; see README.md here. */
interface DecisionQuestion {
  /** The home that it was written for: undefined for what no home serves. */
  readonly home?: string;
  readonly kind: string;
  readonly style: string;
  readonly language: string;
  readonly text: string;
  /** Grades of the useful skills of the home, 2 or 3, by id. Without it none is. */
  readonly useful?: Readonly<Record<string, number>> | undefined;
  /** The file that it comes from, where that has a writer of its own. */
  readonly writer?: string;
}

/** The home of all published skills, and one of 5,000 of them. */
export const PUBLISHED = 'published';
const LARGE_HOME = 'chance-5000';
export const SAMPLE = 'sample';

/** Questions without a home are asked of these. */
const ASKED_TOO: Readonly<Record<Half, readonly string[]>> = {
  fit: [SAMPLE, 'author-20', 'mixed-190', 'chance-500', LARGE_HOME],
  report: [SAMPLE, 'author-30', 'trade-110', 'mixed-200', LARGE_HOME],
};

/** Questions without a home that were written before: asked of one home, for there are many. */
const EARLIER = 'earlier';

/** A question as a home is asked it. */
export interface HomeQuestion extends DecisionQuestion {
  readonly home: string;
  /** How much it counts in a fit. */
  readonly weight: number;
}

export function questionsOf(half: Half): readonly HomeQuestion[] {
  const own = linesOf<DecisionQuestion>(`${half}.jsonl`).flatMap((question): HomeQuestion[] => {
    const { home, style } = question;
    if (home === PUBLISHED) return [PUBLISHED, LARGE_HOME].map((one) => ({ ...question, home: one, weight: 0.5 }));
    if (home !== undefined) return [{ ...question, home, weight: 1 }];
    const homes = ASKED_TOO[half];
    if (style === EARLIER) return [{ ...question, home: homes[2]!, weight: 0.2 }];
    return homes.map((one) => ({ ...question, home: one, weight: 0.3 }));
  });
  return [...own, ...requestsOf(half), ...(half === 'report' ? requestsOfSample() : [])];
}

/** The graded requests of `bench/requests`. */
function requestsOf(half: Half): HomeQuestion[] {
  const useful = new Map<string, Record<string, number>>();
  for (const line of readLines(`../requests/${half}/qrels.tsv`).slice(1)) {
    const [request = '', skill = '', grade = ''] = line.split('\t');
    if (Number(grade) < LEAST_USEFUL) continue;
    useful.set(request, { ...useful.get(request), [skill]: Number(grade) });
  }
  const asked = linesOf<{ _id: string; text: string; language: string }>(`../requests/${half}/queries.jsonl`);
  return asked.map(({ _id, text, language }) => {
    const found = useful.get(_id);
    const kind = found === undefined ? 'rare' : 'request';
    return { home: PUBLISHED, kind, style: 'request', language, text, useful: found, weight: 0.5 };
  });
}

function requestsOfSample(): HomeQuestion[] {
  const asked = linesOf<{ query: string; language: string; grades: Record<string, number> }>(
    '../../data/sample/requests.jsonl',
  );
  return asked.map(({ query, language, grades }) => {
    const useful = Object.fromEntries(Object.entries(grades).filter(([, grade]) => grade >= LEAST_USEFUL));
    const kind = Object.keys(useful).length === 0 ? 'near' : 'request';
    return { home: SAMPLE, kind, style: 'request', language, text: query, useful, weight: 1 };
  });
}

/** The skills of a home, by id. */
export function idsOf(home: string): readonly string[] {
  return readLines(`homes/${home}.txt`);
}

function linesOf<Line>(path: string): Line[] {
  return readLines(path).map((line) => JSON.parse(line) as Line);
}

function readLines(path: string): string[] {
  const text = readFileSync(new URL(path, import.meta.url), 'utf8');
  return text.split('\n').filter((line) => line !== '');
}
