import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readUsage, usageFile } from '../../src/core/index.js';
import { until } from '../processes.js';
import { scratchFile } from '../scratch-folder.js';

const PROGRAM = fileURLToPath(new URL('append-usage.ts', import.meta.url));

test('processes that append at once, and shorten the log, lose no line of each other but the oldest', async () => {
  const database = scratchFile('skills.db');
  // So many that the log is shortened once.
  const append = (session: string) =>
    spawn(process.execPath, ['--import', 'tsx', PROGRAM, database, session, '3250'], { stdio: 'inherit' });
  const killed = append('killed');
  await until(() => existsSync(usageFile(database)));
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  await Promise.all(['a', 'b', 'c'].map((session) => once(append(session), 'exit')));
  expect(readFileSync(usageFile(database), 'utf8').split('\n').length).toBeLessThan(10_000);
  const entries = readUsage(database);
  for (const session of ['a', 'b', 'c']) {
    // One may come twice.
    const times = [...new Set(entries.filter((entry) => entry.session === session).map(({ time }) => time))];
    const [first = 0] = times.sort((one, other) => one - other);
    expect([session, times.at(-1), times.length]).toEqual([session, 3250, 3250 - first + 1]);
  }
  expect(readdirSync(dirname(database))).toEqual(['skills.db.usage']);
});
