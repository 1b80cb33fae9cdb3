import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildCatalogue, type LoadReport, openSkillSearch, removeSkills, updateSkills } from '../../src/index.js';
import { changeShared } from '../../src/load/change-shared.js';
import { rowsKey } from '../../src/load/open-sources.js';
import { SmallTarget } from '../../src/load/small-target.js';
import { readRows } from '../../src/sources/index.js';
import { applyChanges } from '../../src/store/transfer/apply-changes.js';
import type { CatalogueChanges } from '../../src/store/transfer/catalogue-changes.js';
import { differenceOf } from '../../src/store/transfer/difference.js';
import type { SkillImage } from '../../src/store/transfer/skill-image.js';
import { TriedChange } from '../../src/store/transfer/tried-change.js';
import { endChange, OpenChange } from '../../src/store/write/open-change.js';
import { row } from '../rows.js';
import { scratchFolder } from '../scratch-folder.js';
import { allOf } from '../store/transfer/all-of.js';
import { embedder, moreSteps, randomSteps, type Step, take } from '../store/transfer/random-states.js';
import { type ChangedRow, randomChanges } from './changed-rows.js';

type SmallStep = Extract<Step, { readonly update: string } | { readonly ids: readonly string[] }>;

const smallSteps: fc.Arbitrary<readonly SmallStep[]> = randomChanges.map((changes) =>
  changes.map((change, i) => ('ids' in change ? change : { update: i % 2 === 0 ? 'one' : 'four', rows: change.rows })),
);

const TEXT = { filename: 'SKILL.md', text: 'long '.repeat(100) };

/** All that changes say. */
async function everythingIn(changes: CatalogueChanges) {
  const { model, classifier, removed, changed } = changes;
  const images: SkillImage[] = [];
  for await (const batch of changes.images()) images.push(...batch);
  const files = images.flatMap(({ contents }) => contents?.files.filter(({ kept }) => kept === 'blob') ?? []);
  const blobs = await changes.blobs(files.map(({ sha256 }) => sha256));
  const hashes = images.filter(({ hasVector }) => hasVector).map(({ columns }) => columns.textHash);
  const vectors = await changes.vectors(hashes);
  return { model, classifier, removed, changed, images, blobs, vectors };
}

/** A catalogue as the local copy of a shared one, and what is published of small changes of it. */
function sharedAt(database: string) {
  const published: CatalogueChanges[] = [];
  const state = { identity: 'one', version: 1, stamp: '' };
  const target = new SmallTarget({
    signal: undefined,
    copy: { database, hold: async (work) => work(state) },
    vectors: () => ({ take: async () => [], offer: async () => {}, settle: async () => {} }),
    publish: async (changes) => {
      published.push(changes);
      return undefined;
    },
    index: async () => {},
  });
  return { target, published };
}

async function tryStep(database: string, step: SmallStep) {
  const { target, published } = sharedAt(database);
  const result = 'ids' in step ? await tryRemoval(target, step.ids) : await tryRows(target, step.update, step.rows);
  return { result, changes: published[0] };
}

async function tryRemoval(target: SmallTarget, ids: readonly string[]): Promise<number | undefined> {
  const tried = await target.tryOut(async (change) =>
    endChange(change, {
      hasWork: () => true,
      write: (statements) => {
        for (const id of ids) statements.remove(id);
        return false;
      },
    }),
  );
  await tried?.publish();
  return tried?.result.removed;
}

function tryRows(target: SmallTarget, source: string, rows: readonly ChangedRow[]): Promise<LoadReport | undefined> {
  const small: Parameters<typeof changeShared>[1] = {
    read: async (ingest) => {
      for await (const item of readRows(rows, source, {})) await ingest.take(item, rowsKey(source));
      return true;
    },
  };
  return changeShared(target, small, { embedder });
}

function inFile(database: string, step: SmallStep): Promise<LoadReport | number> {
  if ('ids' in step) return removeSkills({ database, ids: step.ids });
  return updateSkills({ database, rows: step.rows, source: step.update, embedder });
}

function withoutTimes(result: LoadReport | number | undefined) {
  if (typeof result !== 'object') return result;
  const { seconds: _, ...rest } = result;
  return rest;
}

describe('a small change that is tried', () => {
  test('publishes and reports what one in a file does, one after the other, and leaves its file', async () => {
    await fc.assert(
      fc.asyncProperty(randomSteps, moreSteps, smallSteps, async (first, more, steps) => {
        const folder = scratchFolder();
        const [copy, file, before] = ['copy.db', 'file.db', 'before.db'].map((name) => join(folder, name)) as [
          string,
          string,
          string,
        ];
        await take(copy, [...first, ...more]);
        cpSync(copy, file);
        for (const step of steps) {
          cpSync(file, before);
          const expected = withoutTimes(await inFile(file, step));
          const bytes = readFileSync(copy);
          const { result, changes } = await tryStep(copy, step);
          expect(withoutTimes(result)).toEqual(expected);
          expect(readFileSync(copy).equals(bytes)).toBe(true);
          const difference = differenceOf(before, file);
          try {
            const slow = await everythingIn(difference);
            if (changes === undefined) expect([slow.removed, slow.changed]).toEqual([[], []]);
            else {
              expect(await everythingIn(changes)).toEqual(slow);
              await applyChanges(copy, changes, { note: 'another state' });
            }
          } finally {
            difference.close();
          }
          const [{ stamp: _, ...here }, { stamp: _s, ...there }] = [await allOf(copy), await allOf(file)];
          expect(here).toEqual(there);
        }
      }),
      { numRuns: 10 },
    );
  }, 300_000);

  test('publishes all skills of a text that gets its vector, also those that were loaded without', async () => {
    const folder = scratchFolder();
    const [copy, file, before] = ['copy.db', 'file.db', 'before.db'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const text = { name: 'one text', description: 'Writes tests.' };
    const skill = (id: string, more: object = {}) => ({ ...row(id), ...text, ...more }) as unknown as ChangedRow;
    await buildCatalogue({ database: copy, sources: [[row('first')]], embedder });
    await buildCatalogue({ database: copy, sources: [[skill('a'), skill('b')]], semantic: false });
    for (const path of [file, before]) cpSync(copy, path);
    const step: SmallStep = { update: 'one', rows: [skill('c', { stars: 3 })] };
    await inFile(file, step);
    const { changes } = await tryStep(copy, step);
    const difference = differenceOf(before, file);
    try {
      expect(changes?.changed).toEqual(['a', 'b', 'c']);
      expect(await everythingIn(changes!)).toEqual(await everythingIn(difference));
    } finally {
      difference.close();
    }
  });

  test('lets searches and nobody else at the file meanwhile, and leaves nothing beside it', async () => {
    const database = join(scratchFolder(), 'copy.db');
    await buildCatalogue({ database, sources: [[row('a'), row('b')]], semantic: false });
    const bytes = readFileSync(database);
    const trial = new TriedChange(database);
    const change = OpenChange.open(database, trial)!;
    change.write().remove('a');
    expect(existsSync(`${database}-journal`)).toBe(false);
    {
      await using search = await openSkillSearch({ database });
      expect(search.ids()).toEqual(['a', 'b']);
    }
    expect(() => OpenChange.open(database)).toThrow(expect.objectContaining({ code: 'LOAD_IN_PROGRESS' }));
    endChange(change, { hasWork: () => false, write: () => false });
    change.close();
    expect(trial.changes).toMatchObject({ removed: ['a'], changed: [] });
    expect(readFileSync(database).equals(bytes)).toBe(true);
  });

  test('is too much for memory where its skills are large, and where the file has an earlier format', async () => {
    const database = join(scratchFolder(), 'copy.db');
    await buildCatalogue({ database, sources: [[row('a', { files: [TEXT] })]], semantic: false });
    const claim = (trial: TriedChange): TriedChange => {
      const change = OpenChange.open(database, trial)!;
      endChange(change, {
        hasWork: () => true,
        write: ({ connection }) => {
          connection.exec(`
            INSERT INTO source (name) VALUES ('another');
            INSERT INTO claim (source, skill) SELECT source.number, skill.number FROM source, skill
              WHERE source.name = 'another'`);
          return true;
        },
      });
      change.close();
      return trial;
    };
    const isTooMuch = (mostBytes?: number): boolean => claim(new TriedChange(database, mostBytes)).isTooMuch;
    expect([isTooMuch(TEXT.text.length), isTooMuch(TEXT.text.length - 1)]).toEqual([false, true]);
  });
});
