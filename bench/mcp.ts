// `npm run bench:mcp -- DATABASE [TIMES]`: from the start of `skill-discovery mcp` to its first answer by words, beside
// `node -e 0` and the import of the MCP SDK alone, taking turns. Needs a build. See README.md here.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { machineName } from './machine.js';
import { markdownTable } from './markdown-table.js';
import { median } from './statistics.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

const ASKED = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'search_skills',
    arguments: { query: 'react testing', by: 'words' },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});

/** Milliseconds from the start of the process to its first answer. */
async function firstAnswer(database: string): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, [MAIN, 'mcp', '--database', database], { stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.write(`${ASKED}\n`);
  const [answer] = (await once(child.stdout, 'data')) as [Buffer];
  const milliseconds = performance.now() - started;
  if (!answer.toString().includes('"structuredContent"'))
    throw new Error(`no answer: ${answer.toString().slice(0, 300)}`);
  child.stdin.end();
  await once(child, 'close');
  return milliseconds;
}

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
  answered.push(await firstAnswer(database));
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
