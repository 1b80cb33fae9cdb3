import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildCatalogue, type LoadReport } from '../../src/index.js';
import { Ingest } from '../../src/load/ingest.js';
import { ReportBuilder } from '../../src/load/reports.js';
import { fingerprintOf } from '../../src/sources/rows/skill-id.js';
import type { SkillSink } from '../../src/store/index.js';
import { Database } from '../../src/store/sqlite.js';
import { type SkillColumns, toColumns } from '../../src/store/stored-skill.js';
import { contentOf, stampOf } from '../catalogue-file.js';
import { row, writeJsonLines } from '../rows.js';
import { scratchFolder } from '../scratch-folder.js';

describe('rows that stand in a source as they stood at the load before', () => {
  test('are known by their bytes, and nothing is written where there are no others', async () => {
    const { database, load } = catalogue();
    await load([row('a'), row('b')]);
    const stamp = stampOf(database);

    expect(knownRows(database)).toBe(2);
    expect(await load([row('a'), row('b')])).toMatchObject({ added: 0, updated: 0, unchanged: 2, warnings: [] });
    expect(stampOf(database)).toBe(stamp);
  });

  test('are known beside rows that changed, also at the load after', async () => {
    const { database, load } = catalogue();
    await load([row('a'), row('b'), row('c')]);

    expect(await load([row('a'), row('b', { stars: 5 }), row('c')])).toMatchObject({ updated: 1, unchanged: 2 });
    expect(knownRows(database)).toBe(3);
    expect(await load([row('a'), row('b'), row('c')])).toMatchObject({ updated: 1, unchanged: 2 });
    expect(contentOf(database).get('b')?.record).toMatchObject({ stars: 0 });
  });

  test('are written anew where an earlier row of the same load has changed the skill', async () => {
    const { database, load } = catalogue();
    await load([row('a')]);
    const report = await load([row('a', { stars: 9 }), row('a')]);

    expect(report).toMatchObject({ updated: 0, unchanged: 1, warnings: [{ line: 2 }] });
    expect(contentOf(database).get('a')?.record).toMatchObject({ stars: 0 });
  });

  test('are told to come twice where they do', async () => {
    const { load } = catalogue();
    await load([row('a')]);
    expect(await load([row('a'), row('a')])).toMatchObject({
      unchanged: 1,
      warnings: [{ line: 2, message: 'the id a came before in this load: this later row is kept' }],
    });
  });

  test('are read again where something has to be said of them', async () => {
    const { load } = catalogue();
    const rows = [{ ...row('a'), stars: 'many' }];
    const first = await load(rows);
    expect(first.warnings).toHaveLength(1);
    expect((await load(rows)).warnings).toEqual(first.warnings);
  });

  test('are forgotten with their source’s claim on the skill', async () => {
    const { database, load } = catalogue();
    await load([row('a'), row('b')]);
    await load([row('b')], undefined, { prune: true });
    expect(knownRows(database)).toBe(1);
    expect(await load([row('a'), row('b')])).toMatchObject({ added: 1, unchanged: 1 });
  });

  test('leave the same catalogue and the same report as if every row were read', async () => {
    const folder = scratchFolder();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(LOAD, { minLength: 2, maxLength: 4 }), async (loads) => {
        const [known, unknown] = [join(folder, `${count}-known.db`), join(folder, `${count}-unknown.db`)];
        count += 1;
        for (const { source, lines, prune } of loads) {
          const path = join(folder, source);
          writeFileSync(path, lines.join('\n'));
          const options = { sources: [path], semantic: false, prune };
          const report = await buildCatalogue({ ...options, database: known });
          const expected = await buildCatalogue({ ...options, database: unknown });
          withDatabase(unknown, (file) => file.exec('DELETE FROM known_row'));

          expect(withoutTimes(report)).toEqual(withoutTimes(expected));
          expect(contentOf(known)).toEqual(contentOf(unknown));
        }
      }),
      { numRuns: 25 },
    );
  }, 60_000);
});

describe('the fingerprint of a row', () => {
  // A row that is known is not read: were the rules changed alone, it would keep what the former ones made of it.
  test('belongs to the rules that rows are read by', () => {
    const columns: SkillColumns[] = [];
    const sink: SkillSink = {
      chooseId: (_, slug) => slug,
      lacksBlob: () => true,
      put: (item) => {
        columns.push(toColumns(item));
        return 'stored';
      },
    };
    const ingest = new Ingest(sink, new ReportBuilder({}));
    for (const [i, value] of ODD_ROWS.entries()) {
      ingest.take({ kind: 'row', origin: { source: 'odd', line: i + 1 }, value }, 'odd');
    }
    const made = createHash('sha256').update(JSON.stringify(columns)).digest('hex').slice(0, 16);

    // Does this fail? Then rows become something else than before: raise READING_RULES in row-fingerprint.ts, and put
    // the new value here.
    expect(made).toBe('eb156f2fcda12752');
  });

  test('differs where a byte differs, and is 16 bytes long', () => {
    const [one, other] = ['{"id":"a"}', '{"id": "a"}'].map((text) => fingerprintOf(Buffer.from(text)));
    expect(one).toMatch(/^[\0-\xff]{16}$/);
    expect(other).not.toBe(one);
  });
});

/** Few ids, places whose slugs collide, one row written in two ways, rows that cannot be read or are warned of. */
const LINE = fc
  .record({
    who: fc.constantFrom<object>(
      { id: 'a' },
      { id: 'b' },
      { id: 'o-r-x' },
      { id: 'o-r-x', place: 'o-r/x' },
      { place: 'o/r-x' },
      { place: 'o-r/x' },
      { place: 'o/日本' },
      { id: 'a', stars: 'many' },
      { author: 'o' },
    ),
    version: fc.nat(1),
    spaced: fc.boolean(),
    broken: fc.nat(9).map((n) => n === 0),
  })
  .map(({ who, version, spaced, broken }) => {
    const value = { name: 'n', description: `version ${version}`, ...who };
    if (broken) return '{"id": "a",';
    return spaced ? JSON.stringify(value).replaceAll('":', '": ') : JSON.stringify(value);
  });

const LOAD = fc.record({
  source: fc.constantFrom('one.jsonl', 'two.jsonl'),
  lines: fc.array(LINE, { maxLength: 7 }),
  prune: fc.boolean(),
});

const ODD_ROWS: readonly unknown[] = [
  row('plain', {
    stars: 3,
    updatedAt: 1_700_000_000,
    categories: ['Web Design', 'tools'],
    occupations: ['writers-273043'],
  }),
  {
    name: ' Ünïcode\r\nname ',
    description: 'Ｆｕｌｌ　width\u0000 and \ud800 lone',
    codehostUrl: 'https://user:pw@host.test/o/r.git',
  },
  { name: 'n'.repeat(300), description: 'd'.repeat(5000), author: '\u202eauthor', updatedAt: '2024-02-03T04:05:06Z' },
  { name: 'tree', description: 'x', githubUrl: 'https://host.test/o/r/tree/main/a%20b/SKILL.md', stars: '12.7' },
  { name: 'repository', description: 'x', codehostUrl: 'https://host.test/o/r', updatedAt: 1_700_000_000_123 },
  {
    id: 42,
    name: 'files',
    description: 'x',
    files: [
      { filename: '../a\\b/./c.md', text: 'one\u0000two' },
      { filename: 'SKILL.md', text: '# body' },
    ],
    license: ' MIT ',
    'allowed-tools': ['Read', 'Write'],
    metadata: { version: 1, deep: { text: 'a\u0000b' } },
    category: 'Ändern & Prüfen',
  },
  { name: 'placed', description: 'x', place: 'Größe/Straße', skillUrl: 'javascript:alert(1)' },
  {
    name: 'installed',
    description: 'x',
    installations: [
      { agent: 'codex', scope: 'user', path: '/etc', plugin: 'a\u001bb' },
      { agent: 'Codex', scope: 'user' },
    ],
    frontMatter: { 'disable-model-invocation': 'true' },
  },
];

function catalogue(): {
  database: string;
  load: (rows: readonly unknown[], source?: string, more?: { prune: boolean }) => Promise<LoadReport>;
} {
  const folder = scratchFolder();
  const database = join(folder, 'skills.db');
  return {
    database,
    load: (rows, source = 'one.jsonl', more) => {
      writeJsonLines(join(folder, source), rows);
      return buildCatalogue({ database, sources: [join(folder, source)], semantic: false, ...more });
    },
  };
}

function knownRows(path: string): number {
  return withDatabase(path, (file) => file.prepare<[], number>('SELECT count(*) FROM known_row').pluck().get() ?? 0);
}

function withDatabase<T>(path: string, work: (database: Database) => T): T {
  const database = new Database(path);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

function withoutTimes({ seconds: _, ...report }: LoadReport): Omit<LoadReport, 'seconds'> {
  return report;
}
