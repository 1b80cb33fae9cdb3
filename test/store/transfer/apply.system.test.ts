import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type BuildOptions,
  buildCatalogue,
  checkCatalogue,
  copyCatalogue,
  openSkillSearch,
  type SkillSearch,
  updateSkills,
} from '../../../src/index.js';
import { indexOrWarn } from '../../../src/indexing/index-or-warn.js';
import { readNamedState } from '../../../src/store/notes.js';
import { applyChanges } from '../../../src/store/transfer/apply-changes.js';
import type { CatalogueChanges } from '../../../src/store/transfer/skill-image.js';
import { contentOf, filesBeside, stampOf, traceOf, vectorsOf } from '../../catalogue-file.js';
import { answersOf, type ChangedRow, lastChangeInPlace } from '../../load/changed-rows.js';
import { runKilled } from '../../processes.js';
import { type Row, row } from '../../rows.js';
import { scratchFolder } from '../../scratch-folder.js';
import { StandInEmbedder } from '../../semantic/stand-in-embedder.js';
import {
  allOf,
  answersIn,
  embedder,
  moreSteps,
  numbersIn,
  randomSteps,
  signedByEarlierVersion,
  take,
  withChanges,
} from './states.js';

describe('the difference of two catalogues', () => {
  test.each(['in place', 'as a whole load'] as const)(
    'applied to the first %s gives the second',
    async (way) => {
      await fc.assert(
        fc.asyncProperty(randomSteps, moreSteps, async (steps, more) => {
          const { former, later, copy } = place();
          await take(former, steps);
          await copyCatalogue({ from: former, to: later });
          await take(later, more);
          await copyCatalogue({ from: former, to: copy });
          if (way === 'as a whole load') signedByEarlierVersion(copy);

          await apply(former, later, copy);
          await expectSame(copy, later);
        }),
        { numRuns: 3 },
      );
    },
    240_000,
  );

  test('to no catalogue makes the same one', async () => {
    await fc.assert(
      fc.asyncProperty(randomSteps, async (steps) => {
        const { later, copy } = place();
        await take(later, steps);
        await apply(undefined, later, copy);
        await expectSame(copy, later);
      }),
      { numRuns: 3 },
    );
  }, 240_000);
});

describe('applying changes', () => {
  test('follows the model, its dimensions, and the rules of the classifier', async () => {
    const { former, later, copy } = await states();
    const rows = [row('a'), row('b', { description: 'another text' }), row('d'), row('e')];
    const load = (database: string, more: Partial<BuildOptions>): Promise<unknown> =>
      buildCatalogue({ database, sources: [{ name: 'one', rows }], embedder, ...more });
    for (const more of [
      { embedder: new StandInEmbedder('another') },
      { embedder: new StandInEmbedder('another', 32) },
      { classify: true },
      { classify: false },
    ]) {
      for (const to of [former, copy]) await copyCatalogue({ from: later, to, overwrite: true });
      // Another model takes the place of one with its name only in a new catalogue.
      if (more.embedder !== undefined) rmSync(later);
      await load(later, more);
      await apply(former, later, copy);
      expect(await allOf(copy)).toEqual(await allOf(later));
      expect(vectorsOf(copy).map(({ values }) => values.length)).toEqual(
        vectorsOf(later).map(({ values }) => values.length),
      );
      await index(copy);
      expect((await checkCatalogue({ database: copy })).problems).toEqual([]);
    }
  });

  test('writes nothing where the catalogue is in that state already, and only a note that is another', async () => {
    const { former, later, copy } = await states();
    await apply(undefined, later, copy);
    const before = traceOf(copy);
    await apply(former, later, copy);
    await apply(undefined, later, copy);
    expect(traceOf(copy)).toEqual(before);
    await apply(former, later, copy, 'b 2');
    expect(stampOf(copy)).toBe(stampOf(later));
    await index(copy);
    expect((await checkCatalogue({ database: copy })).problems).toEqual([]);
  });

  test('gives a skill another number if its derived labels are others, so that open searches keep theirs', async () => {
    const { former, later, copy } = place();
    const rows = [row('tests', { description: 'Runs pytest.' }), row('other')];
    await take(former, [{ load: 'one', rows: rows as ChangedRow[], prune: false, classify: true }]);
    await copyCatalogue({ from: former, to: later });
    await copyCatalogue({ from: former, to: copy });
    const derivedIn = (search: SkillSearch) => search.get('tests')?.derivedCategories;
    await using search = await openSkillSearch({ database: copy });
    expect(derivedIn(search)).toEqual(['testing']);
    const numbers = numbersIn(copy);
    const other = (changes: CatalogueChanges): Partial<CatalogueChanges> => ({
      stamp: 'later',
      changed: ['tests'],
      async *images() {
        for await (const images of changes.images())
          yield images
            .filter(({ columns }) => columns.id === 'tests')
            .map((image) => ({ ...image, derivedCategories: '["security"]' }));
      },
    });
    await withChanges(undefined, later, (changes) => applyChanges(copy, changes, { note: 'a 1' }), other);
    expect(numbersIn(copy).get('tests')).not.toBe(numbers.get('tests'));
    expect(derivedIn(search)).toEqual(['testing']);
    await using again = await openSkillSearch({ database: copy });
    expect(derivedIn(again)).toEqual(['security']);
    expect((await checkCatalogue({ database: copy })).problems).toEqual([]);
  });

  test.each(['in place', 'as a whole load'] as const)('%s leaves open searches as they are', async (way) => {
    const { former, later, copy } = await states();
    await copyCatalogue({ from: former, to: copy });
    if (way === 'as a whole load') signedByEarlierVersion(copy);
    await using search = await openSkillSearch({ database: copy, embedder });
    const before = JSON.stringify(await answersOf(search));
    await apply(former, later, copy);
    expect(lastChangeInPlace(copy)).toBe(way === 'in place');
    expect(JSON.stringify(await answersOf(search))).toBe(before);
  });

  test('takes away a vector that is gone, and brings it again', async () => {
    const { former, later, copy } = await states();
    await copyCatalogue({ from: later, to: former, overwrite: true });
    await copyCatalogue({ from: later, to: copy });
    const { images } = await allOf(later);
    const gone = images.find(({ columns }) => columns.id === 'b')!.columns.textHash;
    const without = (changes: CatalogueChanges): Partial<CatalogueChanges> => ({
      stamp: 'later',
      changed: ['b'],
      images: async function* () {
        for await (const all of changes.images())
          yield all.filter(({ columns }) => columns.id === 'b').map((image) => ({ ...image, hasVector: false }));
      },
    });
    await withChanges(undefined, later, (changes) => applyChanges(copy, changes, { note: 'a 1' }), without);
    const { vectors } = await allOf(later);
    delete (vectors as Record<string, string>)[gone.toString('hex')];
    expect(lastChangeInPlace(copy)).toBe(false);
    expect((await allOf(copy)).vectors).toEqual(vectors);
    // A later state has it again.
    const back = (): Partial<CatalogueChanges> => ({ stamp: 'even later' });
    await withChanges(copy, former, (changes) => applyChanges(copy, changes, { note: 'a 2' }), back);
    expect(lastChangeInPlace(copy)).toBe(true);
    expect((await allOf(copy)).vectors).toEqual((await allOf(former)).vectors);
    await index(copy);
    expect((await checkCatalogue({ database: copy })).problems).toEqual([]);
    expect(await answersIn(copy, true)).toBe(await answersIn(former, true));
  });

  test('changes 500 skills in place, and more as a whole load', async () => {
    const { former, later, copy } = place();
    const rows = Array.from({ length: 501 }, (_, i) => row(`b${i}`));
    await buildCatalogue({ database: former, sources: [{ name: 'one', rows: [row('a')] }], semantic: false });
    for (const [count, isInPlace] of [
      [500, true],
      [501, false],
    ] as const) {
      for (const to of [later, copy]) await copyCatalogue({ from: former, to, overwrite: true });
      await updateSkills({ database: later, rows: rows.slice(0, count), source: 'one', semantic: false });
      await apply(former, later, copy);
      expect(lastChangeInPlace(copy)).toBe(isInPlace);
      expect(contentOf(copy)).toEqual(contentOf(later));
    }
    await apply(later, former, copy);
    expect(lastChangeInPlace(copy)).toBe(false);
    expect(contentOf(copy)).toEqual(contentOf(former));
  });
});

function place() {
  const folder = scratchFolder();
  return { former: join(folder, 'former.db'), later: join(folder, 'later.db'), copy: join(folder, 'copy.db') };
}

/** Two states of a catalogue. */
async function states(): Promise<ReturnType<typeof place>> {
  const files = place();
  const { former, later } = files;
  const load = (rows: readonly Row[], name: string): Promise<unknown> =>
    buildCatalogue({ database: later, sources: [{ name, rows }], prune: true, embedder });
  await load([row('a'), row('b'), row('c'), row('e')], 'one');
  await copyCatalogue({ from: later, to: former });
  await load([row('a'), row('b', { description: 'another text' }), row('d'), row('e')], 'one');
  await load([row('a')], 'two');
  return files;
}

async function index(database: string): Promise<void> {
  await indexOrWarn(database, { onProgress: () => {}, onWarning: ({ message }) => expect.fail(message) });
}

async function apply(former: string | undefined, later: string, copy: string, note = 'a 1'): Promise<void> {
  await withChanges(former, later, (changes) => applyChanges(copy, changes, { note }));
  expect(readNamedState(copy)?.note).toBe(note);
}

async function expectSame(copy: string, later: string): Promise<void> {
  const [expected, found] = [await allOf(later), await allOf(copy)];
  expect(contentOf(copy)).toEqual(contentOf(later));
  expect(found).toEqual(expected);
  const byMeaning = Object.keys(expected.vectors).length > 0;
  const answers = await answersIn(later, byMeaning);
  expect(await answersIn(copy, byMeaning)).toBe(answers);
  await index(copy);
  expect((await checkCatalogue({ database: copy })).problems).toEqual([]);
  expect(await answersIn(copy, byMeaning)).toBe(answers);
}

describe('killed apply.system', () => {
  const embedder = new StandInEmbedder();

  test.each([
    ['in place', 'fetched', 'former'],
    ['in place', 'committing', 'former'],
    ['as a whole load', 'fetched', 'former'],
    ['as a whole load', 'committed', 'former'],
    ['as a whole load', 'renamed', 'later'],
    ['into no catalogue', 'fetched', 'former'],
    ['into no catalogue', 'committed', 'former'],
    ['into no catalogue', 'renamed', 'later'],
  ] as const)(
    'a catalogue whose program is killed while changes are applied %s, %s, is in the %s state, and the next call goes on',
    async (way, moment, state) => {
      const { former, later, copy } = await threeStates();
      const base = way === 'into no catalogue' ? undefined : former;
      if (base !== undefined) await copyCatalogue({ from: former, to: copy });
      if (way === 'as a whole load') signedByEarlierVersion(copy);
      const before = base === undefined ? undefined : await allOf(copy);

      await runKilled(new URL('killable-apply.ts', import.meta.url), [base ?? '', later, copy, moment]);
      if (state === 'later') expect(await allOf(copy)).toEqual(await allOf(later));
      else if (before === undefined) expect(existsSync(copy)).toBe(false);
      else expect(await allOf(copy)).toEqual(before);
      expect(readNamedState(copy)?.note).toBe(state === 'later' ? 'a 2' : undefined);

      await withChanges(base, later, (changes) => applyChanges(copy, changes, { note: 'a 2' }));
      expect(await allOf(copy)).toEqual(await allOf(later));
      expect(readNamedState(copy)?.note).toBe('a 2');
      expect(filesBeside(copy).filter((file) => !file.includes('.vectors'))).toEqual([]);
    },
  );

  /** The later state lacks `c` of the former one, `b` is another there, and `d` is new. */
  async function threeStates(): Promise<{ former: string; later: string; copy: string }> {
    const folder = scratchFolder();
    const [former, later, copy] = ['former.db', 'later.db', 'copy.db'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const same = ['e', 'f', 'g', 'h'].map((id) => row(id));
    const load = (rows: readonly unknown[]): Promise<unknown> =>
      buildCatalogue({ database: later, sources: [{ name: 'one', rows }], prune: true, embedder });
    await load([row('a'), row('b'), row('c'), ...same]);
    await copyCatalogue({ from: later, to: former });
    await load([row('a'), row('b', { stars: 1 }), row('d'), row('d2'), ...same]);
    return { former, later, copy };
  }
});
