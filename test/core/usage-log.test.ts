import { appendFileSync, existsSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import {
  appendUsage,
  MOST_USAGE_LINES,
  packVector,
  readUsage,
  type UsageEntry,
  usageFile,
  usageSession,
} from '../../src/core/index.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';

const ENTRY: UsageEntry = { time: 1_790_000_000, host: 'mcp', session: 's', kind: 'used', skills: ['a'] };

test('what was appended is read again, from a file of this user alone', () => {
  const database = scratchFile('skills.db');
  const shown: UsageEntry = { ...ENTRY, kind: 'shown', skills: [], vector: 'AAEC', model: 'm', tokens: 12 };
  appendUsage(database, shown);
  appendUsage(database, ENTRY);
  expect(readUsage(database)).toEqual([shown, ENTRY]);
  if (process.platform !== 'win32') expect(statSync(usageFile(database)).mode & 0o777).toBe(0o600);
});

test('nothing is written where the user wants no log, and nothing fails where none can be', () => {
  const database = scratchFile('skills.db');
  vi.stubEnv('SKILL_DISCOVERY_NO_USAGE', '1');
  appendUsage(database, ENTRY);
  vi.unstubAllEnvs();
  appendUsage(join(database, 'no', 'folder'), ENTRY);
  expect(existsSync(usageFile(database))).toBe(false);
  expect(readUsage(database)).toEqual([]);
});

test('a line that a killed process began costs no other line, and neither do lines of other programs', () => {
  const database = scratchFile('skills.db');
  appendUsage(database, ENTRY);
  appendFileSync(usageFile(database), '{"time":17900');
  appendUsage(database, { ...ENTRY, session: 't' });
  for (const line of [
    'null',
    '{}',
    JSON.stringify({ ...ENTRY, skills: [1] }),
    JSON.stringify({ ...ENTRY, vector: 'A' }),
  ])
    appendFileSync(usageFile(database), `${line}\n`);
  expect(readUsage(database).map(({ session }) => session)).toEqual(['s', 't']);
});

test('a catalogue has one log, by whatever path it is named', () => {
  const folder = scratchFolder();
  writeFileSync(join(folder, 'skills.db'), '');
  symlinkSync(join(folder, 'skills.db'), join(folder, 'link.db'));
  appendUsage(join(folder, 'link.db'), ENTRY);
  expect(readUsage(join(folder, 'skills.db'))).toEqual([ENTRY]);
});

test('of too many lines the oldest go, once a process that was killed while it did so is given up', () => {
  const database = scratchFile('skills.db');
  const path = usageFile(database);
  const lines = Array.from({ length: MOST_USAGE_LINES }, (_, i) => JSON.stringify({ ...ENTRY, time: i }));
  writeFileSync(path, `${lines.join('\n')}\n`);
  writeFileSync(`${path}-lock`, '');
  const append = (count: number): void => {
    for (let i = 0; i < count; i++) appendUsage(database, { ...ENTRY, time: MOST_USAGE_LINES + i });
  };
  append(400);
  expect(readFileSync(path, 'utf8').split('\n').length).toBeGreaterThan(MOST_USAGE_LINES);
  expect(readUsage(database)).toHaveLength(MOST_USAGE_LINES);
  utimesSync(`${path}-lock`, 1, 1);
  append(400);
  const left = readUsage(database);
  expect(left.length).toBeLessThan(9500);
  expect(left.at(-1)!.time).toBe(MOST_USAGE_LINES + 399);
  expect(existsSync(`${path}-lock`)).toBe(false);
});

test('a packed vector keeps its direction, and a session cannot be told from its hash', () => {
  const packed = new Int8Array(Buffer.from(packVector(Float32Array.of(0.5, -0.25, 0)), 'base64'));
  expect([...packed]).toEqual([127, -63, 0]);
  expect(usageSession('a')).toMatch(/^[0-9a-f]{16}$/);
});
