/**
 * Measures small changes of a catalogue, in a copy of it:
 *
 *     npm run bench:update -- skills.db [--rounds 5] [--semantic]
 *
 * For each kind of change: seconds of the call, the longest time that it keeps the event loop, and seconds until a new
 * process has opened the catalogue and answered a question that finds the change. Of a process that is started anew, the
 * start of Node.js is left out: it is measured beside it.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openSkillSearch, removeSkills, updateSkills } from '../src/index.js';
import { derivedFiles } from '../src/store/file-names.js';
import { median } from './statistics.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    semantic: { type: 'boolean', default: false },
    // Of the process that only opens and asks.
    ask: { type: 'string' },
  },
});
const [source = ''] = positionals;

interface Asked {
  readonly seconds: number;
  readonly total: number;
  readonly megabytes: number;
}

if (values.ask !== undefined) {
  const began = performance.now();
  const search = await openSkillSearch({ database: source });
  const { pagination } = search.keyword({ q: values.ask });
  const seconds = (performance.now() - began) / 1000;
  const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(JSON.stringify({ seconds, total: pagination.total, megabytes } satisfies Asked));
  await search.close();
} else {
  const folder = mkdtempSync(join(tmpdir(), 'skill-discovery-update-'));
  try {
    await measure(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(folder: string): Promise<void> {
  const database = join(folder, 'skills.db');
  const copies = derivedFiles(database);
  copyFileSync(source, database);
  for (const [i, file] of derivedFiles(source).entries()) if (existsSync(file)) copyFileSync(file, copies[i]!);
  const semantic = values.semantic ? undefined : false;
  const update = (name: string): Promise<unknown> =>
    updateSkills({ database, rows: [{ id: 'zz-changed', name, description: `Turns ${name} into charts.` }], semantic });
  // The first change of a catalogue of an earlier version completes its notes.
  await update('zzfirst');
  const rounds = Array.from({ length: Number(values.rounds) }, (_, i) => `zzround${i}zz`);
  const figures: Record<string, number[]> = {};
  const note = (name: string, value: number): void => {
    figures[name] = [...(figures[name] ?? []), value];
  };
  for (const name of rounds) {
    const updated = await timed(() => update(name));
    note('update: seconds', updated.seconds);
    note('update: longest block, ms', updated.block);
    const asked = ask(database, name);
    if (asked.total !== 1) throw new Error(`${name} was not found`);
    note('update: new process, seconds', asked.seconds);
    note('update: new process, MB', asked.megabytes);
    const removed = await timed(async () => removeSkills({ database, ids: ['zz-changed'] }));
    note('remove: seconds', removed.seconds);
    const after = ask(database, name);
    if (after.total !== 0) throw new Error(`${name} is still found`);
    note('remove: new process, seconds', after.seconds);
    note('remove: new process, MB', after.megabytes);
  }
  for (const [name, all] of Object.entries(figures)) console.log(`${name}: ${median(all).toFixed(3)}`);
}

async function timed(work: () => Promise<unknown>): Promise<{ readonly seconds: number; readonly block: number }> {
  let [last, block] = [performance.now(), 0];
  const timer = setInterval(() => {
    const now = performance.now();
    block = Math.max(block, now - last);
    last = now;
  }, 1);
  const began = performance.now();
  await work();
  const seconds = (performance.now() - began) / 1000;
  await new Promise((resolve) => setTimeout(resolve, 5));
  clearInterval(timer);
  return { seconds, block };
}

function ask(database: string, q: string): Asked {
  const script = process.argv[1]!;
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', script, database, '--ask', q], {
    encoding: 'utf8',
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Asked;
}
