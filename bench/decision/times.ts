import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { machineName } from '../machine.js';
import { markdownTable } from '../markdown-table.js';
import { median } from '../statistics.js';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const INPUT = JSON.stringify({
  hook_event_name: 'UserPromptSubmit',
  prompt: 'fill in the PDF forms in this folder with the names of the spreadsheet',
});

/** In milliseconds. */
interface Times {
  readonly wall: number[];
  readonly processor: number[];
}

/** A table of how long `hook` takes: cold by words and by meaning, and with a server that answers. */
export async function timesOfHook(database: string, times: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'skill-discovery-hook-'));
  const env = { ...process.env, XDG_RUNTIME_DIR: folder, XDG_STATE_HOME: folder };
  try {
    const hook = (...words: readonly string[]): readonly string[] => [MAIN, 'hook', '--database', database, ...words];
    const measured = new Map<string, Times>();
    const add = (name: string, words: readonly string[]): void => {
      const { wall, processor } = measured.get(name) ?? { wall: [], processor: [] };
      measured.set(name, { wall, processor });
      const [took, spent] = timeOf(words, env);
      wall.push(took);
      processor.push(spent);
    };
    for (let i = 0; i < times; i++) {
      add('node -e 0', ['-e', '0']);
      add('cold, by words', hook('--mode', 'words'));
      add('cold, by meaning', hook('--mode', 'meaning', '--timeout', '60000'));
    }
    const server = spawn(
      process.execPath,
      [MAIN, 'serve', '--port', '0', '--database', database, '--state', join(folder, 'access.db')],
      {
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    for await (const chunk of server.stderr) if (String(chunk).includes('semantic search is')) break;
    for (let i = 0; i < times; i++) add('warm, by meaning', hook());
    server.kill();
    await once(server, 'close');
    const base = measured.get('node -e 0')!;
    const rows = [...measured].map(([name, { wall, processor }]) => [
      name,
      median(wall).toFixed(0),
      (median(wall) / median(base.wall)).toFixed(2),
      mean(processor).toFixed(0),
      (mean(processor) / mean(base.processor)).toFixed(2),
    ]);
    return `${machineName()}\n\n${markdownTable(['', 'ms', 'times node', 'processor ms', 'times node'], rows)}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function timeOf(words: readonly string[], env: NodeJS.ProcessEnv): [wall: number, processor: number] {
  const started = performance.now();
  const before = processorTimeOfChildren();
  const { status } = spawnSync(process.execPath, words, { env, input: INPUT, stdio: ['pipe', 'ignore', 'ignore'] });
  if (status !== 0) throw new Error(`a program that was measured ended with ${status}`);
  const took = performance.now() - started;
  return [took, processorTimeOfChildren() - before];
}

/** Of all that have ended, in milliseconds, in steps of 10. Linux only; elsewhere 0. */
function processorTimeOfChildren(): number {
  if (process.platform !== 'linux') return 0;
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return 10 * (Number(fields[13]) + Number(fields[14]));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
