import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agreementOf } from '../../bench/judging/agreement.js';
import { addBlockGrades, type BlockKey, blockText, type ShownSkill } from '../../bench/judging/blocks.js';
import { type Grade, type Grades, readGrades, writtenGrades } from '../../bench/judging/grades.js';
import { poolOf, type Shown } from '../../bench/judging/pool.js';
import { readJsonLines, readRequests } from '../../bench/judging/requests.js';
import { openSkillSearch } from '../../src/index.js';
import { runCaptured } from '../cli/run-captured.js';
import { PROJECT } from '../project-copy.js';
import { scratchFile } from '../scratch-folder.js';

describe('pool', () => {
  const REQUESTS = ['a', 'b', 'c'];

  const skills = fc.uniqueArray(fc.integer({ min: 1, max: 12 }).map(String), { maxLength: 8 });
  const shown: fc.Arbitrary<Shown> = fc
    .dictionary(fc.constantFrom(...REQUESTS), skills, { noNullPrototype: true })
    .map((ranking) => new Map(Object.entries(ranking)));
  const graded: fc.Arbitrary<Grades> = shown.map(
    (ranking) =>
      new Map(Array.from(ranking, ([request, ids]) => [request, new Map(ids.map((id) => [id, 0 as Grade]))])),
  );
  const rankings = fc.array(shown, { maxLength: 4 });
  const depth = fc.integer({ min: 1, max: 8 });

  test('a pool has each of the first skills of any ranking once, but those that have a grade', () => {
    fc.assert(
      fc.property(rankings, graded, depth, fc.integer(), (all, grades, k, seed) => {
        const pooled = poolOf(REQUESTS, all, { depth: k, graded: grades, seed });
        const wanted = REQUESTS.map((request) => {
          const first = all.flatMap((ranking) => (ranking.get(request) ?? []).slice(0, k));
          return { request, skills: [...new Set(first)].filter((id) => !grades.get(request)?.has(id)).sort() };
        }).filter((one) => one.skills.length > 0);
        expect(pooled.map((one) => ({ ...one, skills: [...one.skills].sort() }))).toEqual(wanted);
      }),
    );
  });

  test('its order depends on the seed, not on the rankings', () => {
    fc.assert(
      fc.property(rankings, depth, fc.integer(), (all, k, seed) => {
        const options = { depth: k, graded: new Map(), seed };
        expect(poolOf(REQUESTS, [...all].reverse(), options)).toEqual(poolOf(REQUESTS, all, options));
      }),
    );
    const many = new Map([['a', Array.from({ length: 30 }, (_, i) => `s${i}`)]]);
    const orderOf = (seed: number): readonly string[] =>
      poolOf(['a'], [many], { depth: 30, graded: new Map(), seed })[0]?.skills ?? [];
    expect(orderOf(1)).not.toEqual(orderOf(2));
    expect(orderOf(1)).not.toEqual([...orderOf(1)].sort());
  });
});

describe('grades', () => {
  const id = fc.string({ minLength: 1, unit: fc.constantFrom(...'aZ09-_.é中𝒶') });
  const grade = fc.constantFrom<Grade>(0, 1, 2, 3);
  const pairs = fc.array(fc.tuple(id, id, grade), { maxLength: 30 });

  function gradesOf(all: readonly (readonly [string, string, Grade])[]): Grades {
    const grades: Grades = new Map();
    for (const [request, skill, one] of all) {
      grades.set(request, (grades.get(request) ?? new Map<string, Grade>()).set(skill, one));
    }
    return grades;
  }

  test('grades that are written and read are the same, and written the same again', () => {
    const path = scratchFile('qrels.tsv');
    fc.assert(
      fc.property(pairs, (all) => {
        const text = writtenGrades(gradesOf(all));
        writeFileSync(path, text);
        const read = readGrades(path);
        expect(read).toEqual(gradesOf(all));
        expect(writtenGrades(read)).toBe(text);
        expect(
          writtenGrades(
            gradesOf([...gradesOf(all)].reverse().flatMap(([r, of]) => [...of].map(([s, g]) => [r, s, g] as const))),
          ),
        ).toBe(text);
      }),
    );
  });

  test('grades are added to those of another file', () => {
    const [first, second] = [scratchFile('first.tsv'), scratchFile('second.tsv')];
    writeFileSync(first, 'query-id\tcorpus-id\tscore\na\tx\t1\n');
    writeFileSync(second, 'query-id\tcorpus-id\tscore\r\na\ty\t3\r\n');
    const grades = readGrades(second, readGrades(first));
    expect([...(grades.get('a') ?? [])]).toEqual([
      ['x', 1],
      ['y', 3],
    ]);
  });

  test.each([
    ['a\tx\t1\n', ':1: expected the header "query-id\\tcorpus-id\\tscore"'],
    ['query-id\tcorpus-id\tscore\na\tx\t1\na\ty\t4\n', ':3: expected a grade from 0 to 3, got "4"'],
    ['query-id\tcorpus-id\tscore\na\tx\t1.0\n', ':2: expected a grade from 0 to 3, got "1.0"'],
    ['query-id\tcorpus-id\tscore\na\tx\n', ':2: expected request, skill and grade with tabs between them, got "a\\tx"'],
  ])('%j is refused with its line', (text, message) => {
    const path = scratchFile('qrels.tsv');
    writeFileSync(path, text);
    expect(() => readGrades(path)).toThrow(`${path}${message}`);
  });

  test('a file that does not exist is no file without grades', () => {
    expect(() => readGrades(scratchFile('nowhere.tsv'))).toThrow('nowhere.tsv');
  });
});

describe('blocks', () => {
  const shown = (name: string, description: string, text = ''): ShownSkill => ({
    skill: { name, author: 'ada', description },
    text,
  });

  describe('the text of a block', () => {
    const request = { _id: 'de-004', text: 'Brot\nbacken', language: 'de', style: 'terse', english: 'bake bread' };

    test('has the request in both languages, and one numbered line a skill, whatever its text', () => {
      const text = blockText('0007', request, [
        shown('bread', 'Bakes\n2. bread.', '---\nname: bread\n---\n# Bread'),
        shown('a\r\nb', 'Sorts.'),
      ]);
      expect(text.split('\n')).toEqual([
        '=== block 0007',
        'Request (de): Brot backen',
        'In English: bake bread',
        '1. bread [by ada]: Bakes 2. bread. [text: --- name: bread --- # Bread]',
        '2. a b [by ada]: Sorts.',
      ]);
    });

    test('tells neither the id of the request nor its style', () => {
      const text = blockText('0007', { ...request, style: 'symptom' }, [shown('bread', 'Bakes.')]);
      expect(text).not.toContain('de-004');
      expect(text).not.toContain('symptom');
    });

    test('cuts descriptions and file texts between two characters, and files the more the longer a description is', () => {
      const lineOf = (description: string, file: string): string =>
        blockText('1', request, [shown('s', description, file)])
          .split('\n')
          .at(-1) as string;
      expect(lineOf('𝒶'.repeat(401), 'text')).toBe(`1. s [by ada]: ${'𝒶'.repeat(400)}…`);
      expect(lineOf('d'.repeat(200), 'f'.repeat(201))).toBe(
        `1. s [by ada]: ${'d'.repeat(200)} [text: ${'f'.repeat(200)}…]`,
      );
      expect(lineOf('d'.repeat(281), 'text')).toBe(`1. s [by ada]: ${'d'.repeat(281)}`);
    });
  });

  describe('the grades of a block', () => {
    const key: BlockKey = { block: '0007', request: 'de-004', skills: ['x', 'y', 'z'] };

    test('become grades of its skills, in whatever order and with what white space they come', () => {
      const grades: Grades = new Map([['de-004', new Map([['y', 0]])]]);
      addBlockGrades(grades, key, ' 3:0, 1:3\n2:1 ');
      expect(writtenGrades(grades)).toBe('query-id\tcorpus-id\tscore\nde-004\tx\t3\nde-004\ty\t1\nde-004\tz\t0\n');
    });

    test.each([
      ['1:3 2:0', 'block 0007 has 3 skills, got grades of 2'],
      ['', 'block 0007 has 3 skills, got grades of 0'],
      ['1:3 2:0 3:1 2:0', 'block 0007: skill 2 has a second grade'],
      ['1:3 2:0 4:1', 'block 0007: there is no skill 4'],
      ['0:3 1:0 2:1', 'block 0007: there is no skill 0'],
      ['1:3 2:0 3:4', 'block 0007: expected a number and a grade from 0 to 3, got 3:4'],
      ['1:3 2:0 3:', 'block 0007: expected a number and a grade from 0 to 3, got 3:'],
      ['1:3 2:0 useful', 'block 0007: expected a number and a grade from 0 to 3, got useful'],
    ])('%j is refused whole: %s', (answer, message) => {
      const grades: Grades = new Map();
      expect(() => addBlockGrades(grades, key, answer)).toThrow(message);
      expect(grades.size).toBe(0);
    });
  });
});

describe('agreement', () => {
  type Pair = readonly [Grade, Grade];

  const grade = fc.constantFrom<Grade>(0, 1, 2, 3);
  const times = (amount: number, first: Grade, second: Grade): Pair[] => new Array<Pair>(amount).fill([first, second]);

  /** Grades of one reader; skills are spread over three requests. */
  function readerOf(pairs: readonly Pair[], side: 0 | 1): Grades {
    const grades: Grades = new Map([0, 1, 2].map((i) => [`r${i}`, new Map<string, Grade>()]));
    for (const [i, pair] of pairs.entries()) grades.get(`r${i % 3}`)?.set(`s${i}`, pair[side]);
    return grades;
  }

  const agreement = (pairs: readonly Pair[]): ReturnType<typeof agreementOf> =>
    agreementOf(readerOf(pairs, 0), readerOf(pairs, 1));

  /** The disagreement of the pairs, relative to that of each grade of one reader with each of the other. */
  function naiveKappa(pairs: readonly Pair[], weight: (a: Grade, b: Grade) => number): number {
    let [seen, byChance] = [0, 0];
    for (const [a, b] of pairs) seen += weight(a, b);
    for (const [a] of pairs) for (const [, b] of pairs) byChance += weight(a, b);
    return byChance === 0 ? 1 : 1 - (seen * pairs.length) / byChance;
  }

  test('kappa is that of comparing each grade of one reader with each of the other', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(grade, grade), { minLength: 1, maxLength: 40 }), (pairs) => {
        const found = agreement(pairs);
        expect(found?.pairs).toBe(pairs.length);
        expect(found?.kappa).toBeCloseTo(
          naiveKappa(pairs, (a, b) => (a - b) ** 2),
          9,
        );
        expect(found?.useKappa).toBeCloseTo(
          naiveKappa(pairs, (a, b) => Number(a >= 2 !== b >= 2)),
          9,
        );
      }),
    );
  });

  test('known figures: 20 yes and 15 no of both, 5 and 10 of one alone', () => {
    const found = agreement([...times(20, 3, 3), ...times(5, 3, 0), ...times(10, 0, 3), ...times(15, 0, 0)]);
    expect(found?.useKappa).toBeCloseTo(0.4, 12);
    expect(found?.kappa).toBeCloseTo(0.4, 12);
    expect([found?.same, found?.sameUse]).toEqual([0.7, 0.7]);
  });

  test('a grade beside the other counts less than one far from it', () => {
    // By hand: one of four differs by 1, squared differences of all 16 crossings sum to 32.
    expect(
      agreement([
        [0, 0],
        [1, 1],
        [2, 2],
        [3, 2],
      ]),
    ).toMatchObject({ kappa: 0.875, same: 0.75, sameUse: 1, useKappa: 1 });
    expect(
      agreement([
        [0, 3],
        [3, 0],
      ])?.kappa,
    ).toBe(-1);
    expect(agreement(times(3, 0, 0))?.kappa).toBe(1);
  });

  test('only pairs that both have graded count', () => {
    const gradesOf = (all: Readonly<Record<string, Readonly<Record<string, Grade>>>>): Grades =>
      new Map(Object.entries(all).map(([request, skills]) => [request, new Map(Object.entries(skills))]));
    const first = gradesOf({ a: { x: 3, y: 0 }, b: { x: 1 } });
    expect(agreementOf(first, gradesOf({ a: { x: 3, z: 2 }, c: { x: 1 } }))).toMatchObject({ pairs: 1, same: 1 });
    expect(agreementOf(first, gradesOf({ c: { x: 1 } }))).toBeUndefined();
  });
});

describe('requests', () => {
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
});
