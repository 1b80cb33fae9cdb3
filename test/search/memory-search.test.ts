import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type MemorySearch, openSkillSearch } from '../../src/index.js';
import { codeOf } from '../error-code.js';
import { row } from '../rows.js';
import { closing } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';

async function open(skills: readonly unknown[], embedder = new StandInEmbedder()): Promise<MemorySearch> {
  return closing(await openSkillSearch({ skills, embedder }));
}

const idsOf = ({ hits }: { readonly hits: readonly { readonly skill: { readonly id: string } }[] }): string[] =>
  hits.map(({ skill }) => skill.id);

const WORDS = ['apple', 'bread', 'cheese', 'dates'];
const IDS = ['a', 'b', 'c', 'd', 'e', 'f'];

/** All that words and lists answer. */
function answersOf(search: MemorySearch): unknown {
  const answers = WORDS.flatMap((q) =>
    (['relevance', 'recent', 'stars'] as const).map((sortBy) => {
      const { hits, ...others } = search.keyword({ q, sortBy, facets: ['category', 'author'] });
      return { ...others, hits: hits.map(({ skill, matches, snippet, score }) => [skill, matches, snippet, score]) };
    }),
  );
  const { skills, categories, newest } = search.stats();
  return [
    answers,
    search.list(),
    search.categories(),
    search.ids(),
    search.suggest('a'),
    { skills, categories, newest },
  ];
}

describe('skills in memory that change', () => {
  test('answer as skills that were opened so', async () => {
    const skill = fc.record({
      id: fc.constantFrom(...IDS),
      words: fc.subarray(WORDS, { minLength: 1 }),
      stars: fc.nat(3),
      updatedAt: fc.nat(3),
    });
    const step = fc.oneof(
      fc.record({ add: fc.array(skill, { maxLength: 3 }) }),
      fc.record({ remove: fc.subarray(IDS, { maxLength: 3 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(skill, { maxLength: 4 }), fc.array(step, { maxLength: 5 }), async (first, steps) => {
        const rowOf = ({ id, words, stars, updatedAt }: (typeof first)[number]): object =>
          row(id, { description: words.join(' '), stars, updatedAt, author: words[0]!, categories: words.slice(1) });
        const expected = new Map(first.map((one) => [one.id, rowOf(one)]));
        await using search = await openSkillSearch({ skills: first.map(rowOf) });
        for (const change of steps) {
          if ('add' in change) {
            for (const one of change.add) expected.set(one.id, rowOf(one));
            await search.add(change.add.map(rowOf));
          } else {
            const here = change.remove.filter((id) => expected.delete(id));
            expect(await search.remove(change.remove)).toBe(here.length);
          }
        }
        await using opened = await openSkillSearch({ skills: [...expected.values()] });
        expect(answersOf(search)).toEqual(answersOf(opened));
      }),
      { numRuns: 40 },
    );
  });

  test('are found by meaning at once, with the vectors of new ones made and no other', async () => {
    const embedder = new StandInEmbedder();
    const search = await open([row('a', { description: 'bread' }), row('b', { description: 'cheese' })], embedder);
    await search.semantic({ q: 'dates' });
    const asked = embedder.asked.length;
    await search.add([row('c', { description: 'dates and figs' }), row('a', { description: 'rye bread' })]);
    expect(embedder.asked).toHaveLength(asked + 2);
    await search.remove(['b']);
    expect(embedder.asked).toHaveLength(asked + 2);
    const found = await search.semantic({ q: 'dates and figs', ranking: 'vector' });
    expect(idsOf(found).sort()).toEqual(['a', 'c']);
    expect(found.hits[0]?.skill.id).toBe('c');
    expect((await search.similar('c')).map(({ skill }) => skill.id)).toEqual(['a']);
  });

  test('may be added to a search of none, and all be removed', async () => {
    const search = await open([]);
    expect(idsOf(await search.semantic({ q: 'bread' }))).toEqual([]);
    await search.add([row('a', { description: 'bread' })]);
    expect(idsOf(await search.semantic({ q: 'bread' }))).toEqual(['a']);
    expect(await search.remove(['a', 'nothing'])).toBe(1);
    expect(idsOf(await search.semantic({ q: 'bread' }))).toEqual([]);
    expect(search.ids()).toEqual([]);
  });

  test('change only when questions that are being answered have ended, one change after the other', async () => {
    const search = await open([row('a', { description: 'bread' })]);
    const [before, , , after] = await Promise.all([
      search.semantic({ q: 'bread' }),
      search.add([row('b', { description: 'bread' })]),
      search.remove(['a']),
      search.add([row('c', { description: 'bread' })]).then(() => search.semantic({ q: 'bread' })),
    ]);
    expect(idsOf(before)).toEqual(['a']);
    expect(idsOf(after).sort()).toEqual(['b', 'c']);
  });

  test('change in the order of the calls, also where rows are read slowly', async () => {
    const search = await open([]);
    const slowly = async function* (): AsyncGenerator<unknown> {
      await new Promise((done) => setTimeout(done, 30));
      yield row('a', { description: 'slow bread' });
    };
    const calls = [search.add(slowly()), search.add([row('a', { description: 'bread' })]), search.remove(['a'])];
    expect((await Promise.all(calls)).at(-1)).toBe(1);
    expect(search.ids()).toEqual([]);
  });

  test('tell what is wrong with rows, and what cannot be embedded is told to the next question', async () => {
    const failing = new StandInEmbedder();
    const search = await open([row('a', { description: 'bread' })], failing);
    await search.semantic({ q: 'bread' });
    expect(await search.add([{ name: 'no description' }, row('b')])).toMatchObject({
      rejected: [{ origin: 'skills', reason: expect.stringContaining('description') }],
    });
    expect(search.ids()).toEqual(['a', 'b']);
    const embed = failing.embed.bind(failing);
    failing.embed = () => Promise.reject(new Error('out of order'));
    await search.add([row('c', { description: 'dates' })]);
    expect(idsOf(search.keyword({ q: 'dates' }))).toEqual(['c']);
    expect(await codeOf(() => search.semantic({ q: 'dates' }))).toBe('EMBEDDER_FAILED');
    failing.embed = embed;
    await search.warmUp();
    expect(idsOf(await search.semantic({ q: 'dates', ranking: 'vector' }))).toContain('c');
  });

  test('leave everything as it was where the rows fail, and refuse what are no rows and no ids', async () => {
    const search = await open([row('a')]);
    const rows = function* (): Generator<unknown> {
      yield row('b');
      throw new Error('broken');
    };
    await expect(search.add(rows())).rejects.toThrow('broken');
    expect(await codeOf(() => search.add(42 as never))).toBe('INVALID_OPTION');
    expect(await codeOf(() => search.remove('a' as never))).toBe('INVALID_OPTION');
    expect(search.ids()).toEqual(['a']);
    await search.close();
    expect(await codeOf(() => search.add([row('c')]))).toBe('SERVICE_UNAVAILABLE');
    expect(await codeOf(() => search.remove(['a']))).toBe('SERVICE_UNAVAILABLE');
  });
});
