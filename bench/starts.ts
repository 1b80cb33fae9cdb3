import { spawnSync } from 'node:child_process';
import { round } from './bars.js';
import { markdownTable } from './markdown-table.js';
import { median } from './statistics.js';

/** What is timed: by name, one run each call, in milliseconds. */
export type Timed = ReadonlyMap<string, () => number | Promise<number>>;

/** What processes take from their start. */
export interface Starts {
  /** Milliseconds of `node -e 0`, median. */
  readonly bare: number;
  /** By name: milliseconds, and how many times `node -e 0` that is; medians over the rounds. */
  readonly starts: Readonly<Record<string, { readonly ms: number; readonly times: number }>>;
}

/** Times each in turn, and `node -e 0` in each round. */
export async function measureStarts(timed: Timed, rounds: number): Promise<Starts> {
  const bare: number[] = [];
  const all = new Map<string, number[]>();
  for (let i = 0; i < rounds; i++) {
    bare.push(processTime(['-e', '0']));
    for (const [what, time] of timed) all.set(what, [...(all.get(what) ?? []), await time()]);
  }
  const starts = [...all].map(([what, times]) => {
    const ratios = times.map((ms, i) => ms / (bare[i] as number));
    return [what, { ms: median(times), times: median(ratios) }] as const;
  });
  return { bare: median(bare), starts: Object.fromEntries(starts) };
}

export function startsTable({ bare, starts }: Starts): string {
  const rows = Object.entries(starts).map(([what, { ms, times }]) => [what, round(ms), round(times)]);
  return markdownTable(['from its start', 'ms', 'times `node -e 0`'], [['`node -e 0`', round(bare), '1'], ...rows]);
}

/** Milliseconds until a process has ended. */
export function processTime(words: readonly string[]): number {
  const started = performance.now();
  const { status } = spawnSync(process.execPath, words, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}`);
  return performance.now() - started;
}
