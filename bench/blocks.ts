// `npm run bench:blocks -- DATABASE [--questions N] [--rounds N] [--only TEXT]`: for how long each operation keeps the
// event loop from its next turn, asked for the first time in a process, asked on, and asked again. Needs a build. See
// README.md here.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { machineName } from './machine.js';
import { markdownTable } from './markdown-table.js';
import { median, quantile } from './statistics.js';

/** What one call took. */
interface Call {
  readonly ms: number;
  /** The longest time between two turns of the event loop, in milliseconds. */
  readonly block: number;
  /** Processor time of the main thread within it, where that is less. */
  readonly cpu: number;
}

const LIBRARY = new URL('../dist/index.js', import.meta.url);
const PROGRAM = fileURLToPath(new URL('programs/blocks.mjs', import.meta.url));

const { values, positionals } = parseArgs({
  options: {
    questions: { type: 'string', default: '120' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
  },
  allowPositionals: true,
});
const [database] = positionals;
if (database === undefined) {
  console.error('usage: npm run bench:blocks -- DATABASE [--questions N] [--rounds N] [--only TEXT]');
  process.exit(2);
}

const questions = requestsOf('fit').concat(requestsOf('report')).slice(0, Number(values.questions));
console.log(`machine: ${machineName()}; load average ${loadavg()[0]?.toFixed(1)}\n`);
const { names, ids } = JSON.parse(run([database])) as { readonly names: string[]; readonly ids: string[] };
const rows = names.filter((name) => name.includes(values.only)).map((name) => rowOf(name, database));
const head = ['operation', 'the first call, ms', 'its longest block', 'calls after it: p50', 'p99', 'longest', 'again'];
console.log(markdownTable(head, rows));

/** The English requests of one half. */
function requestsOf(half: string): string[] {
  const lines = readFileSync(new URL(`requests/${half}/queries.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n');
  const all = lines.map((line) => JSON.parse(line) as { readonly text: string; readonly language: string });
  return all.filter(({ language }) => language === 'en').map(({ text }) => text);
}

/** Figures of so many processes: medians of their first calls, all of the other calls. */
function rowOf(name: string, catalogue: string): string[] {
  const rounds = Array.from({ length: Number(values.rounds) }, () => ask(catalogue, name));
  console.error(name);
  const firsts = rounds.map(([pass]) => pass?.[0] as Call);
  const later = rounds.flatMap(([pass = []]) => pass.slice(1)).map(({ cpu }) => cpu);
  const again = rounds.flatMap(([, pass = []]) => pass).map(({ cpu }) => cpu);
  const [ms, block] = [median(firsts.map((call) => call.ms)), median(firsts.map(({ cpu }) => cpu))];
  return [name, ms, block, ...quantiles(later), ...quantiles(again).slice(2)].map((cell) =>
    typeof cell === 'number' ? cell.toPrecision(3) : cell,
  );
}

function quantiles(figures: readonly number[]): (number | string)[] {
  return figures.length === 0 ? ['', '', ''] : [0.5, 0.99, 1].map((share) => quantile(figures, share));
}

function ask(catalogue: string, name: string): Call[][] {
  return JSON.parse(run([catalogue, name], JSON.stringify({ questions, ids }))) as Call[][];
}

function run(words: readonly string[], input = ''): string {
  return execFileSync(process.execPath, [PROGRAM, LIBRARY.href, ...words], {
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}
