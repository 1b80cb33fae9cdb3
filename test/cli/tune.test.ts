import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildCatalogue } from '../../src/index.js';
import type { PairReport, TrainingPair } from '../../src/tuning/index.js';
import { scratchFile } from '../scratch-folder.js';
import { linesFile } from '../tuning/catalogue.js';
import { linesOf, runCaptured } from './run-captured.js';
import { catchOutput, startProcess } from './run-process.js';

/** The sample catalogue, with vectors of the bundled model. */
let sample: string;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'skill-discovery-tune-'));
  sample = join(folder, 'sample.db');
  await buildCatalogue({ database: sample, sources: ['data/sample/skills.jsonl'] });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function pairsIn(path: string): TrainingPair[] {
  return linesOf(readFileSync(path, 'utf8')).map((line) => JSON.parse(line) as TrainingPair);
}

describe('tune pairs', () => {
  test('writes pairs and prints how many there are of each kind, with some to read', async () => {
    const out = scratchFile('pairs.jsonl');
    const ran = await runCaptured(['tune', 'pairs', '--database', sample, '--out', out, '--sample', '1']);
    expect([ran.status, ran.error]).toEqual([0, '']);
    const pairs = pairsIn(out);
    const lines = linesOf(ran.out);
    expect(lines[0]).toMatch(new RegExp(`^${pairs.length.toLocaleString('en')} pairs of \\d+ skills, in `));
    const names = pairs.filter(({ kind }) => kind === 'name').length;
    expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^name +${names}$`)) as string);
    expect(lines.filter((line) => line === 'name')).toHaveLength(1);
    expect(lines.at(-1)).toMatch(/^ {6}\S/);
    for (const pair of pairs) expect(Object.keys(pair)).toEqual(['text', 'skill', 'document', 'kind', 'language']);
  });

  test('adds negatives, takes chosen kinds, and tells all of it as JSON', async () => {
    const out = scratchFile('pairs.jsonl');
    const words = ['--kind', 'name', '--kind', 'use-when', '--negatives', '3', '--seed', '5', '--per-skill', '1'];
    const ran = await runCaptured(['tune', 'pairs', '--database', sample, '--out', out, '--json', ...words]);
    expect([ran.status, ran.error]).toEqual([0, '']);
    const report = JSON.parse(ran.out) as PairReport;
    const pairs = pairsIn(out);
    expect(report.pairs).toBe(pairs.length);
    expect(new Set(pairs.map(({ kind }) => kind))).toEqual(new Set(['name', 'use-when']));
    expect(report.withNegatives).toBeGreaterThan(pairs.length * 0.9);
    expect(pairs.every(({ skill, negatives }) => negatives !== undefined && !negatives.includes(skill))).toBe(true);
  });

  test('holds out, takes requests, and notes what is missing', async () => {
    const out = scratchFile('pairs.jsonl');
    await runCaptured(['tune', 'pairs', '--database', sample, '--out', out, '--kind', 'name']);
    const [first, second] = pairsIn(out).map(({ skill }) => skill) as [string, string];
    const requests = linesFile([
      { skill: first, request: 'a thing that is held out', language: 'en' },
      { skill: second, request: 'etwas anderes', language: 'de', english: 'something else' },
      { skill: 'no-such-skill', request: 'something', language: 'en' },
    ]);
    const without = linesFile([first, 'nobody']);
    const words = ['--without', without, '--requests', requests, '--kind', 'request'];
    const ran = await runCaptured(['tune', 'pairs', '--database', sample, '--out', out, ...words]);
    expect(ran.status).toBe(0);
    expect(pairsIn(out)).toMatchObject([{ skill: second, kind: 'request', language: 'de', english: 'something else' }]);
    expect(linesOf(ran.error)).toEqual([
      `note: 1 id of ${without} is not in the catalogue`,
      `note: 1 request of ${requests} left out: the catalogue lacks the skill`,
      `note: 1 request of ${requests} left out: the skill is held out`,
    ]);
  });

  test.each([
    ['a kind that there is not', ['--kind', 'title'], 2, /--kind <kind>.*Allowed choices are quote, file-quote/],
    ['too many negatives', ['--negatives', '31'], 2, /^error: negatives must be an integer from 0 to 30, got 31$/m],
    ['a list that is not there', ['--without', 'nowhere.txt'], 1, /^error: there is no file nowhere\.txt$/m],
    ['requests that are not there', ['--requests', 'nowhere.jsonl'], 1, /^error: there is no file nowhere\.jsonl$/m],
    [
      'a folder that is not there',
      ['--out', 'nowhere/pairs.jsonl'],
      1,
      /^error: nowhere\/pairs\.jsonl cannot be written/m,
    ],
  ])('refuses %s', async (_, words, status, message) => {
    const out = scratchFile('pairs.jsonl');
    const ran = await runCaptured(['tune', 'pairs', '--database', sample, '--out', out, ...words]);
    expect([ran.status, ran.out]).toEqual([status, '']);
    expect(ran.error).toMatch(message);
    expect(readdirSync(dirname(out))).toEqual([]);
  });

  test('a catalogue that is not there is refused', async () => {
    const ran = await runCaptured(['tune', 'pairs', '--database', join(folder, 'nothing.db')]);
    expect(ran.status).toBe(1);
    expect(ran.error).toMatch(/nothing\.db/);
    expect(existsSync('pairs.jsonl')).toBe(false);
  });

  test('when interrupted leaves no file', async () => {
    const out = scratchFile('pairs.jsonl');
    // Negatives of texts take so long that the signal comes in between.
    const words = ['--negatives', '5', '--nearest-to', 'text', '--per-skill', '20'];
    const child = startProcess(['tune', 'pairs', '--database', sample, '--out', out, ...words]);
    const output = catchOutput(child);
    const waiting = setInterval(() => {
      if (!existsSync(`${out}.part`)) return;
      child.kill('SIGINT');
      clearInterval(waiting);
    }, 20);
    await once(child, 'close');
    expect([child.exitCode, output().error]).toEqual([1, 'error: interrupted\n']);
    expect(readdirSync(dirname(out))).toEqual([]);
  });
});
