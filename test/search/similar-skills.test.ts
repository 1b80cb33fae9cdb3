import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildCatalogue, type LoadReport, openSkillSearch, removeSkills, type SkillSearch } from '../../src/index.js';
import { catalogueOf, opened } from '../catalogues.js';
import { codeOf } from '../error-code.js';
import { startedThreads } from '../processes.js';
import { type Row, row } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';

describe('skills near another one', () => {
  const ROWS = [
    row('pdf', { name: 'pdf', description: 'fills and reads pdf forms' }),
    row('pdf-copy', { name: 'pdf', description: 'fills and reads pdf forms', stars: 9 }),
    row('pdf-2', { name: 'pdf tools', description: 'reads pdf forms' }),
    row('git', { name: 'git', description: 'writes commits' }),
    row('git-b', { name: 'git', description: 'writes commits', stars: 5 }),
    row('git-c', { name: 'git', description: 'writes commits', stars: 1 }),
    row('maps', { name: 'maps', description: 'draws maps' }),
  ];

  const embedder = new StandInEmbedder();

  /** A test that must do without a model fails with this one. */
  class NoEmbedder extends StandInEmbedder {
    override embed(): Promise<Float32Array[]> {
      throw new Error('nothing may be embedded');
    }
  }

  function cosine(a: Float32Array, b: Float32Array): number {
    return a.reduce((sum, value, i) => sum + value * (b[i] as number), 0);
  }

  test('are the nearest by the cosines of their vectors; its own copies are left out, of others one is shown', async () => {
    const search = await opened({ database: await catalogueOf(ROWS, embedder), embedder: new NoEmbedder() });
    const found = await search.similar('pdf');
    expect(found[0]?.skill.id).toBe('pdf-2');
    const shown = found.map(({ skill, copies }) => `${skill.id} ${copies}`);
    // Of the copies the one with the most stars stands for all.
    expect(shown.toSorted()).toEqual(['git-b 3', 'maps 1', 'pdf-2 1']);
    expect(found.map(({ score }) => score)).toEqual(found.map(({ score }) => score).sort((a, b) => b - a));
    expect((await search.similar('pdf', { limit: 1 })).map(({ skill }) => skill.id)).toEqual(['pdf-2']);
  });

  test('are what comparing the skill with all others gives', async () => {
    const words = fc.array(fc.constantFrom('pdf', 'git', 'map', 'test', 'chart', 'deploy'), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(words, { maxLength: 12, selector: (all) => all.join(' ') }), async (texts) => {
        const rows = texts.map((all, i) => row(`s-${i}`, { name: `name ${i}`, description: all.join(' ') }));
        await using search = await openSkillSearch({ skills: rows, embedder });
        const vectors = await embedder.embed(texts.map((all, i) => `name ${i}\n${all.join(' ')}`));
        const stored = (await Promise.all(rows.map(({ id }) => search.similar(id as string, { limit: 100 })))) ?? [];
        for (const [i, similar] of stored.entries()) {
          expect(similar).toHaveLength(texts.length - 1);
          for (const { skill, score } of similar) {
            const other = Number(skill.id.slice(2));
            expect(score).toBeCloseTo(cosine(vectors[i] as Float32Array, vectors[other] as Float32Array), 4);
          }
        }
      }),
      { numRuns: 6 },
    );
  });

  test('are found without a model, also where its folder is gone, and start no thread', async () => {
    const database = await catalogueOf(ROWS, embedder);
    const threads = startedThreads();
    const search = await opened({ database, model: join(scratchFolder(), 'gone') });
    expect((await search.similar('pdf'))[0]?.skill.id).toBe('pdf-2');
    expect(threads).toEqual([]);
    expect(await codeOf(() => search.semantic({ q: 'pdf' }))).toBe('MODEL_NOT_FOUND');
    expect((await search.similar('pdf'))[0]?.skill.id).toBe('pdf-2');
  });

  test('are none for an id that no skill has, nor in a catalogue of one skill', async () => {
    const search = await opened({ database: await catalogueOf(ROWS, embedder), embedder: new NoEmbedder() });
    expect(await search.similar('nobody')).toEqual([]);
    const alone = await opened({ database: await catalogueOf(ROWS.slice(0, 2), embedder), embedder: new NoEmbedder() });
    expect(await alone.similar('pdf')).toEqual([]);
  });

  test('need vectors, and an open search', async () => {
    const search = await opened({ database: await catalogueOf(ROWS) });
    expect(await codeOf(() => search.similar('pdf'))).toBe('NO_VECTORS');
    await search.close();
    expect(await codeOf(() => search.similar('pdf'))).toBe('SERVICE_UNAVAILABLE');
  });
});

describe('near copies', () => {
  describe('skills of nearly the same text', () => {
    test('made from a template for one product each are no copies', async () => {
      const products = Array.from({ length: 9 }, (_, i) => `product${i}`);
      const skills = products.map((product) => {
        const text = `# ${product}\n${textOf('template', 400)}`;
        return skill(product, { name: `${product}-automation`, description: `Automates ${product} tasks`, text });
      });
      await using search = await openSkillSearch({ skills });
      for (const id of products) expect(search.copiesOf(id)).toEqual([id]);
    });

    test('are copies under other names where the text is long and the same', async () => {
      await using search = await openSkillSearch({
        skills: [
          skill('a', { name: 'pdf', description: 'Fills forms', text: textOf('pdf', 120) }),
          skill('b', { name: 'acme-pdf', description: 'fills forms.', text: textOf('pdf', 120) }),
          skill('c', { name: 'acme-short', description: 'Part of the Acme collection', text: textOf('short', 60) }),
          skill('d', { name: 'acme-brief', description: 'Part of the Acme collection', text: textOf('short', 60) }),
        ],
      });
      expect(search.copiesOf('b')).toEqual(['a', 'b']);
      expect(search.copiesOf('c')).toEqual(['c']);
    });

    test('are no copies of what is like a copy of them only', async () => {
      const chain = (stars: readonly number[]): Row[] =>
        stars.map((count, i) => skill(`s${i}`, { text: variant(10 * i), stars: count }));
      await using ends = await openSkillSearch({ skills: chain([3, 2, 1]) });
      expect(ends.copiesOf('s1')).toEqual(['s0', 's1']);
      expect(ends.copiesOf('s2')).toEqual(['s2']);

      await using middle = await openSkillSearch({ skills: chain([2, 3, 1]) });
      expect(middle.copiesOf('s0')).toEqual(['s1', 's0', 's2']);
    });

    test('are one group however many they are', async () => {
      const skills = Array.from({ length: 3000 }, (_, i) =>
        skill(`s${i}`, { description: `Copy${'!'.repeat(i)}`, text: variant(i % 3) }),
      );
      await using search = await openSkillSearch({ skills });
      const pages = Array.from({ length: 7 }, (_, i) => search.copiesOf('s7', i + 1));
      expect(pages.map(({ length }) => length)).toEqual([...Array(6).fill(500), 0]);
      expect(new Set(pages.flat()).size).toBe(3000);
    });

    test('are compared by their SKILL.md, wherever it stands among the files', async () => {
      const files = (text: string): NonNullable<Row['files']> => [
        { filename: 'a.md', text },
        { filename: 'SKILL.md', text: textOf('x', 200) },
      ];
      const skills = [
        row('a', { name: 'notes', description: 'one', files: files('first') }),
        row('b', { name: 'notes', description: 'two', files: files(textOf('second', 500)) }),
      ];
      const { database, load } = catalogue();
      await load(skills);
      for (const open of [{ skills }, { database }]) {
        await using search = await openSkillSearch(open);
        expect(search.copiesOf('a')).toEqual(['a', 'b']);
      }
      expect(await groupsIn(database)).toEqual({ a: ['a', 'b'], b: ['a', 'b'] });
    });
  });

  describe('groups of copies in a file', () => {
    test('do not depend on the loads it came about by', async () => {
      const version = fc.record({
        text: fc.nat(24),
        name: fc.constantFrom('notes', 'notes', 'diary'),
        stars: fc.nat(2),
        gone: fc.boolean(),
      });
      const states = fc.array(fc.array(version, { minLength: 8, maxLength: 8 }), { minLength: 2, maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(states, async (history) => {
          const rowsOf = (state: (typeof history)[number]): Row[] =>
            state.flatMap(({ text, name, stars, gone }, i) =>
              gone && i > 0 ? [] : [skill(`s${i}`, { name, description: `d ${i}`, text: variant(text), stars })],
            );
          const [step, once] = [catalogue(), catalogue()];
          for (const state of history) await step.load(rowsOf(state));
          const last = rowsOf(history.at(-1) ?? []);
          await once.load(last.toReversed());

          const groups = await groupsIn(once.database);
          expect(await groupsIn(step.database)).toEqual(groups);
          await using memory = await openSkillSearch({ skills: last });
          expect(groupsOf(memory)).toEqual(groups);
          rmSync(`${step.database}.keyword`);
          expect(await groupsIn(step.database)).toEqual(groups);
        }),
        { numRuns: 6 },
      );
    });

    test('change where the one that was shown is removed', async () => {
      const { database, load } = catalogue();
      await load([0, 10, 20].map((changed, i) => skill(`s${i}`, { text: variant(changed), stars: i === 1 ? 5 : 0 })));
      expect((await groupsIn(database))['s0']).toEqual(['s1', 's0', 's2']);
      await removeSkills({ database, ids: ['s1'] });
      expect(await groupsIn(database)).toEqual({ s0: ['s0'], s2: ['s2'] });
    });
  });

  /** A skill whose SKILL.md has a text of its own. */
  function skill(id: string, { text = variant(0), ...more }: Row & { readonly text?: string }): Row {
    return row(id, { name: 'notes', description: `notes by ${id}`, files: [{ filename: 'SKILL.md', text }], ...more });
  }

  /** A text of many different words. */
  function textOf(topic: string, words: number): string {
    return Array.from({ length: words }, (_, i) => `${topic}${i}`).join(' ');
  }

  /** A text of 300 words of which as many at its beginning as told are others: 10 are nearly the same, 20 are not. */
  function variant(changed: number): string {
    return Array.from({ length: 300 }, (_, i) => (2 * i < 3 * changed ? `new${i}` : `word${i}`)).join(' ');
  }

  interface TestCatalogue {
    readonly database: string;
    readonly load: (rows: readonly Row[]) => Promise<LoadReport>;
  }

  function catalogue(): TestCatalogue {
    const database = scratchFile('skills.db');
    const sources = (rows: readonly Row[]) => [{ name: 'rows', rows }];
    return {
      database,
      load: (rows) => buildCatalogue({ database, sources: sources(rows), semantic: false, prune: true }),
    };
  }

  async function groupsIn(database: string): Promise<Record<string, string[]>> {
    await using search = await openSkillSearch({ database });
    return groupsOf(search);
  }

  function groupsOf(search: SkillSearch): Record<string, string[]> {
    return Object.fromEntries(search.ids().map((id) => [id, search.copiesOf(id)]));
  }
});
