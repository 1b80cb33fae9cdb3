import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readGrades, writtenGrades } from '../../bench/judging/grades.js';
import { readJsonLines, readRequests } from '../../bench/judging/requests.js';
import { openSkillSearch } from '../../src/index.js';
import { runCaptured } from '../cli/run-captured.js';
import { PROJECT } from '../project-copy.js';
import { scratchFile } from '../scratch-folder.js';

const STYLES = ['terse', 'wordy', 'task', 'symptom', 'typo', 'product', 'vague'];
const HALVES = ['fit', 'report'];
const pathOf = (...names: string[]): string => join(PROJECT, 'bench/requests', ...names);

const requests = HALVES.map((half) => readRequests([pathOf(half, 'queries.jsonl')]));
const all = requests.flat();

describe('the graded requests of bench/requests', () => {
  test('are two halves of the same size without a request in common', () => {
    expect(requests.map((half) => half.length)).toEqual([282, 282]);
    expect(new Set(all.map(({ _id }) => _id)).size).toBe(564);
    expect(new Set(all.map(({ text }) => text)).size).toBe(564);
  });

  test('have all fields, and an English wording exactly where they are not English', () => {
    const faulty = all.filter(({ _id, text, language, style, english }) => {
      const [, of = ''] = /^(rare|[a-z]{2})-\d{3}$/.exec(_id) ?? [];
      const isTold = language === 'en' ? english === undefined : (english?.trim() ?? '') !== '';
      return language !== (of === 'rare' ? 'en' : of) || text.trim() === '' || !STYLES.includes(style) || !isTold;
    });
    expect(faulty).toEqual([]);
    expect(all.filter(({ language }) => language !== 'en')).toHaveLength(154);
    expect(new Set(all.map(({ language }) => language)).size).toBe(16);
  });

  test.each(HALVES)('of %s have grades, sorted as they are written', (half) => {
    const path = pathOf(half, 'qrels.tsv');
    const grades = readGrades(path);
    expect(writtenGrades(grades)).toBe(readFileSync(path, 'utf8'));
    const ids = readRequests([pathOf(half, 'queries.jsonl')]).map(({ _id }) => _id);
    expect([...grades.keys()].sort()).toEqual(ids.sort());
  });

  test('of the second readers are pairs that the first ones graded too', () => {
    const path = pathOf('second-readers.tsv');
    const second = readGrades(path);
    expect(writtenGrades(second)).toBe(readFileSync(path, 'utf8'));
    const first = readGrades(pathOf('report/qrels.tsv'), readGrades(pathOf('fit/qrels.tsv')));
    const others = [...second].flatMap(([request, skills]) =>
      [...skills.keys()].filter((skill) => first.get(request)?.has(skill) !== true),
    );
    expect(others).toEqual([]);
    expect(second.size).toBeGreaterThan(50);
  });

  test('come without the texts of a catalogue', () => {
    expect(HALVES.filter((half) => existsSync(pathOf(half, 'corpus.jsonl')))).toEqual([]);
  });
});

interface SampleRequest {
  readonly id: string;
  readonly query: string;
  readonly language: string;
  readonly style: string;
  readonly english?: string;
  readonly grades: Readonly<Record<string, number>>;
}

describe('the graded requests to the sample catalogue', () => {
  const sample = readJsonLines<SampleRequest>(join(PROJECT, 'data/sample/requests.jsonl'));

  test('are 80, in nine languages, with an English wording exactly where they are not English', () => {
    expect(sample).toHaveLength(80);
    expect(new Set(sample.map(({ id }) => id)).size).toBe(80);
    expect(new Set(sample.map(({ language }) => language)).size).toBe(9);
    const faulty = sample.filter(({ id, query, language, style, english }) => {
      const isTold = language === 'en' ? english === undefined : (english?.trim() ?? '') !== '';
      return !new RegExp(`^${language.toLowerCase()}-\\d\\d$`).test(id) || query === '' || style === '' || !isTold;
    });
    expect(faulty).toEqual([]);
    const grades = sample.flatMap((request) => Object.values(request.grades));
    expect([...new Set(grades)].sort()).toEqual([0, 1, 2, 3]);
  });

  test('grade skills that `npm start` loads', async () => {
    const { href } = pathToFileURL(join(PROJECT, 'scripts/sample-catalogue.mjs'));
    const { SAMPLE_CATALOGUE } = (await import(href)) as { readonly SAMPLE_CATALOGUE: readonly string[] };
    const words = SAMPLE_CATALOGUE.map((word) => (word.startsWith('data/') ? join(PROJECT, word) : word));
    const database = scratchFile('sample.db');
    const { status } = await runCaptured(['load', '--database', database, '--no-semantic', ...words]);
    expect(status).toBe(0);
    await using search = await openSkillSearch({ database });
    const ids = new Set(sample.flatMap(({ grades }) => Object.keys(grades)));
    expect([...ids].filter((id) => search.get(id) === undefined)).toEqual([]);
    expect(ids.size).toBeGreaterThan(200);
  });
});
