import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_CHANGED_IN_PLACE, sha256Of } from '../../../src/core/index.js';
import {
  buildCatalogue,
  type FollowedSearch,
  followCatalogue,
  type LoadReport,
  openSkillSearch,
  removeSkills,
  type SkillSearch,
  updateSkills,
} from '../../../src/index.js';
import { catalogueSearchOf } from '../../../src/search/index.js';
import { storedRecords } from '../../catalogue-file.js';
import { type CataloguePlace, skillsIn } from '../../load/contract/catalogue-under-test.js';
import { COLLIDING, type Row, row } from '../../rows.js';
import { closing, scratchFile, scratchFolder } from '../../scratch-folder.js';
import { StandInEmbedder } from '../../semantic/stand-in-embedder.js';
import { describeWithPostgres } from '../postgres/describe-with-postgres.js';

describeWithPostgres('machines that share a catalogue', (server) => {
  /** Machines with caches of their own, over one new database. */
  async function machines(): Promise<() => CataloguePlace> {
    const database = await server.database();
    return () => ({ database, cache: scratchFolder() });
  }

  describe('and load it at once,', () => {
    test('skills that small changes change meanwhile, do it again on what these made of them', async () => {
      const machine = await machines();
      await load(machine(), 'first', [row('a'), row('b'), row('d')]);
      const slow = new RowsMeanwhile([row('a', { stars: 1 }), row('c')], async () => {
        await updateSkills({ ...machine(), rows: [row('a', { stars: 2 }), row('c')], semantic: false });
        await removeSkills({ ...machine(), ids: ['b'] });
      });
      expect(await load(machine(), 'first', slow)).toMatchObject({
        added: 0,
        updated: 1,
        unchanged: 1,
        removed: 1,
      });
      expect(slow.readings).toBe(2);
      expect(await seenAt(machine())).toEqual({ version: 4, ids: ['a', 'c'] });
    });

    test('skills of different places that would get one id, give them two', async () => {
      const machine = await machines();
      const at = (place: string): object => ({ name: place, description: 'd', place });
      await load(machine(), 'first', [row('first')]);
      const slow = new RowsMeanwhile([at('o/r-x')], () => load(machine(), 'other', [at('o-r/x')]));
      await load(machine(), 'slow', slow);
      await using search = await openSkillSearch(machine());
      expect(
        search
          .ids()
          .map((id) => search.get(id)!.name)
          .sort(),
      ).toEqual(['name of first', 'o-r/x', 'o/r-x']);
      expect(search.get('o-r-x')?.name).toBe('o-r/x');
    });
  });

  test('and follow it answer the same, byte for byte, at one version, in whatever way they came to it', async () => {
    const machine = await machines();
    const [loader, embedder] = [machine(), new StandInEmbedder()];
    const rows = (from: number, to: number, more: Row = {}): Row[] =>
      Array.from({ length: to - from }, (_, i) => awkwardRow(from + i, more));
    await load(loader, 'rows', rows(0, 24), { embedder });
    const early = await following(machine());
    await updateSkills({ ...loader, rows: rows(10, 14, { stars: 7 }), embedder });
    await early.reload();
    const middle = await following(machine());
    await load(machine(), 'others', rows(20, 28, { license: 'MIT' }), { embedder });
    await removeSkills({ ...machine(), ids: ['skill-3', 'skill-12', 'skill-27'] });
    await load(loader, 'rows', rows(5, 24, { author: 'ann' }), { embedder });
    await updateSkills({ ...machine(), rows: rows(14, 16, { description: 'Other text.' }), embedder });

    for (const search of [early, middle]) await search.reload();
    // More than are changed in place come and go; who looks only now hears of both at once.
    await load(machine(), 'many', rows(100, 120 + MAX_CHANGED_IN_PLACE), { embedder });
    await early.reload();
    await load(machine(), 'many', rows(100, 101), { embedder });

    for (const search of [early, middle]) await search.reload();
    const searches = [early, middle, await following(machine()), await following(loader)];
    const { database } = loader;
    await server.execute(database, 'TRUNCATE skill_discovery.snapshot, skill_discovery.chunk');
    searches.push(await following(machine()));
    const answers = [];
    for (const search of searches) {
      expect(search.stats().copy?.version).toBe(8);
      answers.push(JSON.stringify([search.stats().stamp, await answersOf(search)]));
    }
    expect(new Set(answers).size).toBe(1);
  }, 120_000);
});

/** Rows that can be read any number of times; something else happens while they are read for the first time. */
class RowsMeanwhile implements AsyncIterable<unknown> {
  readings = 0;
  readonly #rows: readonly unknown[];
  readonly #meanwhile: () => Promise<unknown>;

  constructor(rows: readonly unknown[], meanwhile: () => Promise<unknown>) {
    this.#rows = rows;
    this.#meanwhile = meanwhile;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown> {
    this.readings += 1;
    if (this.readings === 1) await this.#meanwhile();
    yield* this.#rows;
  }
}

/** Loads a source and prunes it, without vectors unless there is an embedder. */
function load(
  place: CataloguePlace,
  name: string,
  rows: Iterable<unknown> | AsyncIterable<unknown>,
  more: { readonly embedder?: StandInEmbedder } = {},
): Promise<LoadReport> {
  const model = more.embedder === undefined ? { semantic: false } : more;
  return buildCatalogue({ ...place, sources: [{ name, rows }], prune: true, ...model });
}

/** A server, closed when the test ends. It looks at the database as often as it may. */
async function following(place: CataloguePlace): Promise<FollowedSearch> {
  const embedder = new StandInEmbedder();
  return closing(await followCatalogue({ ...place, interval: 20, snapshotInterval: 100, embedder }));
}

async function seenAt(
  place: CataloguePlace,
): Promise<{ readonly version: number | undefined; readonly ids: string[] }> {
  await using search = await openSkillSearch(place);
  return { version: search.stats().copy?.version, ids: search.ids().sort() };
}

/** Few texts and times, so that many have the same score or date. */
function awkwardRow(i: number, more: Row): Row {
  const words = ['release notes', 'tests', 'data', 'react', 'Übersetzung'];
  return row(`skill-${i}`, {
    name: words[i % 5]!,
    description: `Writes ${words[i % 3]} and moves ${words[i % 4]}.`,
    updatedAt: 1_700_000_000 + (i % 4),
    stars: i % 3,
    categories: [['testing'], ['data'], []][i % 3]!,
    ...more,
  });
}

describeWithPostgres('a catalogue in PostgreSQL', (server) => {
  test('reports and answers whatever is done with it as one in a file', async () => {
    await fc.assert(
      fc.asyncProperty(randomSteps, fc.boolean(), async (steps, vectors) => {
        const file = { database: scratchFile('skills.db') };
        const database = await server.database();
        const machine = (): CataloguePlace => ({ database, cache: scratchFolder() });
        const [first, second, reader] = [machine(), machine(), machine()];
        const folder = scratchFolder();
        for (const [i, step] of steps.entries()) {
          const report = await doStep(step, i % 2 === 0 ? first : second, folder, vectors);
          expect([i, report]).toEqual([i, await doStep(step, file, folder, vectors)]);
          // What comes now is brought to the copy that is there.
          if (i === 1) await asked(reader);
        }
        const expected = await asked(file);
        for (const place of [reader, machine()]) expect(await asked(place)).toEqual(expected);
      }),
      { numRuns: 6, interruptAfterTimeLimit: 30_000 },
    );
  }, 120_000);
});

/** What a search over a catalogue answers, or the code of its failure. */
async function asked(place: CataloguePlace): Promise<unknown> {
  try {
    await using search = await openSkillSearch({ ...place, embedder: new StandInEmbedder() });
    return await answersOf(search);
  } catch (error) {
    return (error as { readonly code?: string }).code ?? error;
  }
}

/** A call that changes a catalogue, or tries to. */
export type Step =
  | {
      readonly call: 'load';
      readonly sources: readonly { readonly name: string; readonly lines: readonly string[] }[];
      readonly prune: boolean;
      readonly contents: boolean;
    }
  | { readonly call: 'update'; readonly rows: readonly object[] }
  | { readonly call: 'remove'; readonly ids: readonly string[] };

const WHO = [...COLLIDING, { id: 'A' }, { id: 'c\0\ud800', name: 'odd \0\udc00 name' }];

const TEXTS = ['Writes release notes.', 'Writes tests.', 'Moves data about.', 'Übersetzt Texte.', 'react'];

function wholeFile(filename: string, text: string): object {
  const bytes = Buffer.from(text);
  const sha256 = sha256Of(bytes);
  return { filename, base64: bytes.toString('base64'), complete: true, sha256, executable: text.length % 2 === 0 };
}

const FILES: readonly (readonly object[])[] = [
  [],
  [{ filename: 'SKILL.md', text: 'An excerpt of the text.' }],
  [wholeFile('SKILL.md', '# All'), wholeFile('x.bin', '\0\u{10ffff} bytes')],
  [wholeFile('SKILL.md', '# All'), wholeFile('y.bin', '\0\u{10ffff} bytes'), { filename: 'z', base64: '???' }],
];

const ROW = fc
  .record({
    who: fc.constantFrom(...WHO),
    description: fc.constantFrom(...TEXTS),
    files: fc.constantFrom(...FILES),
    stars: fc.integer({ min: 0, max: 2 }),
    updatedAt: fc.integer({ min: 1_700_000_000, max: 1_700_000_003 }),
    categories: fc.subarray(['testing', 'data', 'Ändern & Prüfen'], { maxLength: 2 }),
    license: fc.constantFrom('MIT', 'Apache-2.0'),
  })
  .map(({ who, ...others }) => ({ name: 'skill', ...others, ...who }));

const LINE = fc.tuple(ROW, fc.nat(11)).map(([row, kind]) => {
  const line = JSON.stringify(row);
  if (kind === 0) return line.slice(0, -2);
  return kind === 1 ? '{"id":"a","name":"no description"}' : kind < 5 ? line.replaceAll('":', '": ') : line;
});

const SOURCE = fc.record({
  name: fc.constantFrom('one.jsonl', 'two.jsonl', 'three.jsonl'),
  lines: fc.array(LINE, { maxLength: 6 }),
});

export const randomSteps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        call: fc.constant('load' as const),
        sources: fc.uniqueArray(SOURCE, { selector: ({ name }) => name, minLength: 1, maxLength: 2 }),
        prune: fc.boolean(),
        contents: fc.nat(3).map((n) => n > 0),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        call: fc.constant('update' as const),
        rows: fc.array(ROW, { minLength: 1, maxLength: 3 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        call: fc.constant('remove' as const),
        ids: fc.subarray(['a', 'A', 'b', 'c', 'o-r-x', 'nobody'], { minLength: 1, maxLength: 3 }),
      }),
    },
  ),
  { minLength: 3, maxLength: 6 },
);

/**
 * Does a step.
 *
 * @param folder where its sources are written
 * @param vectors whether it makes vectors
 * @returns the report, or the code of the failure. Without its times, and without the number of vectors that it made:
 *   a text's vector may be known from before, where a file has forgotten it
 */
export async function doStep(step: Step, place: CataloguePlace, folder: string, vectors: boolean): Promise<unknown> {
  try {
    if (step.call === 'remove') return await removeSkills({ ...place, ids: step.ids });
    const model = vectors ? { embedder: new StandInEmbedder() } : { semantic: false };
    if (step.call === 'update') return comparable(await updateSkills({ ...place, rows: step.rows, ...model }));
    const { prune, contents } = step;
    const sources = step.sources.map(({ name, lines }) => {
      writeFileSync(join(folder, name), lines.join('\n'));
      return join(folder, name);
    });
    return comparable(await buildCatalogue({ ...place, sources, prune, contents, ...model }));
  } catch (error) {
    return (error as { readonly code?: string }).code ?? error;
  }
}

function comparable({ seconds: _, embedded: __, ...report }: LoadReport): Omit<LoadReport, 'seconds' | 'embedded'> {
  return report;
}

const QUESTIONS = ['release notes', '"writes tests"', 'tset', 'ubersetzt', 'wri', 'moves react data', 'bytes'];

/**
 * Everything that a search answers about such a catalogue, but for what names its state. (The number of vectors counts
 * some that are kept for readers of former states.)
 */
export async function answersOf(search: SkillSearch): Promise<unknown> {
  const { stamp: _, writtenAt: __, copy: ___, vectors: ____, ...stats } = search.stats();
  const answers: unknown[] = [stats, search.categories(), search.occupations(), search.authors()];
  const facets = ['category', 'author', 'license'] as const;
  for (const q of QUESTIONS) {
    for (const sortBy of ['relevance', 'recent', 'stars'] as const) {
      answers.push(search.keyword({ q, sortBy, limit: 50, facets }));
    }
    answers.push(search.keyword({ q, copies: 'keep', category: 'testing' }), search.keyword({ q, license: 'MIT' }));
    answers.push(storedRecords(search, { q }), search.suggest(q.slice(0, 3)));
    for (const ranking of ['hybrid', 'vector', 'words'] as const) {
      const found = search.semantic({ q, ranking, limit: 20 });
      answers.push(await found.catch(({ code }: { readonly code?: string }) => code));
    }
  }
  answers.push(search.list({ facets }), search.list({ copies: 'keep', sortBy: 'stars' }));
  for (const [id, skill] of skillsIn(search)) {
    const near = await search.similar(id).catch(({ code }: { readonly code?: string }) => code);
    answers.push([id, skill, near]);
  }
  answers.push(catalogueSearchOf(search).completeIds({ limit: 50 }));
  return JSON.parse(JSON.stringify(answers)) as unknown;
}
