// `npm run bench:mcp -- DATABASE [TIMES]`: from the start of `skill-discovery mcp` to its first answer by words, beside
// `node -e 0` and the import of the MCP SDK alone, taking turns; and on Linux the memory of three sessions. Needs a
// build. See README.md here.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { firstMcpAnswer } from './first-mcp-answer.js';
import { machineName } from './machine.js';
import { markdownTable } from './markdown-table.js';
import { type SessionMemory, sessionMemory } from './session-memory.js';
import { median } from './statistics.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

function timeOf(words: readonly string[]): number {
  const started = performance.now();
  // In the project's folder, where packages are found.
  const { status } = spawnSync(process.execPath, words, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`a program that was measured ended with ${status}`);
  return performance.now() - started;
}

const [database, times = '15'] = process.argv.slice(2);
if (database === undefined) {
  console.error('usage: npm run bench:mcp -- DATABASE [TIMES]');
  process.exit(2);
}
const sdk = "await import('@modelcontextprotocol/server')";
const [bare, imported, answered]: [number[], number[], number[]] = [[], [], []];
for (let i = 0; i < Number(times); i++) {
  bare.push(timeOf(['-e', '0']));
  imported.push(timeOf(['--input-type=module', '-e', sdk]));
  answered.push(await firstMcpAnswer(database));
}
const row = (name: string, figures: readonly number[]): string[] => [
  name,
  median(figures).toFixed(0),
  (median(figures) / median(bare)).toFixed(2),
];
console.log(`${machineName()}\n`);
console.log(
  markdownTable(
    ['a process', 'ms', 'times `node -e 0`'],
    [row('`node -e 0`', bare), row('import of the MCP SDK', imported), row('`mcp`, first answer by words', answered)],
  ),
);
if (process.platform === 'linux') {
  const { words, meaning } = await sessionMemory(database, 3);
  const cell = ({ rss, pss }: SessionMemory): string => `${rss.toFixed(0)} / ${pss.toFixed(0)}`;
  console.log(
    `\n${markdownTable(
      ['three sessions, MB (RSS / PSS)', 'first', 'second', 'third'],
      [
        ['have searched by words', ...words.map(cell)],
        ['have asked by meaning', ...meaning.map(cell)],
      ],
    )}`,
  );
}
