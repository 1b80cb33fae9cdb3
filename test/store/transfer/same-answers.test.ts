import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildCatalogue, openSkillSearch, removeSkills, updateSkills } from '../../../src/index.js';
import { indexOrWarn } from '../../../src/indexing/index-or-warn.js';
import { applyChanges } from '../../../src/store/transfer/apply-changes.js';
import { type Row, row } from '../../rows.js';
import { scratchFolder } from '../../scratch-folder.js';
import { numbersIn } from './all-of.js';
import { withChanges } from './with-changes.js';

const WORDS = 'git commit review test deploy docker python react data model chart table parse write read notes'.split(
  ' ',
);

/** Numbers that look random, the same in each run. */
function drawn(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % below;
  };
}

/**
 * Few words, stars and dates, so that many scores and orders are equal; and long texts, some of them nearly the same.
 */
function randomRow(id: string, draw: (below: number) => number): Row {
  const words = (count: number): string => Array.from({ length: count }, () => WORDS[draw(WORDS.length)]).join(' ');
  const isCopy = draw(6) === 0;
  const template = Array.from({ length: 120 }, (_, i) => `step${i} ${WORDS[i % WORDS.length]}`).join(' ');
  return row(id, {
    name: isCopy ? 'git template' : words(2),
    description: isCopy ? `Follows a template ${draw(3)}.` : words(6),
    author: ['ann', 'bob', 'cy'][draw(3)]!,
    license: ['MIT', 'Apache-2.0'][draw(2)]!,
    stars: draw(3),
    updatedAt: 1_700_000_000 + draw(4),
    categories: [['testing', 'data', 'writing'][draw(3)]!],
    files: [{ filename: 'SKILL.md', text: isCopy ? `${template} ${words(2)}` : words(4 + draw(60)) }],
  });
}

/** All that can be asked by words, as JSON. */
async function answersIn(database: string): Promise<readonly string[]> {
  await using search = await openSkillSearch({ database });
  const answers: unknown[] = [search.categories(), search.suggest('d'), search.suggest('git')];
  for (const q of [
    ...WORDS,
    'git review',
    '"write read"',
    'comit revew',
    'step7 step8 data',
    'charts tables',
    'template',
  ]) {
    for (const sortBy of ['relevance', 'recent', 'stars'] as const) {
      for (const copies of ['collapse', 'keep'] as const) {
        const { hits, ...answer } = search.keyword({
          q,
          sortBy,
          copies,
          limit: 50,
          facets: ['category', 'author', 'license'],
        });
        answers.push(
          answer,
          hits.map((hit) => ({ ...hit, matches: hit.matches, snippet: hit.snippet })),
        );
      }
    }
    answers.push(await search.semantic({ q, ranking: 'words', limit: 50, explain: true }));
  }
  for (const copies of ['collapse', 'keep'] as const) {
    for (const sortBy of ['recent', 'stars'] as const)
      answers.push(search.list({ copies, sortBy, limit: 50, facets: ['author'] }));
  }
  return answers.map((answer) => JSON.stringify(answer));
}

test('a catalogue that has grown by small changes answers by words as one that was made at once', async () => {
  const folder = scratchFolder();
  const [grown, once] = [join(folder, 'grown.db'), join(folder, 'once.db')];
  const draw = drawn(21);
  const ids = Array.from({ length: 300 }, (_, i) => `skill-${i}`);
  const rows = ids.slice(0, 200).map((id) => randomRow(id, draw));
  await buildCatalogue({ database: grown, sources: [{ name: 'rows', rows }], semantic: false });
  for (let i = 0; i < 8; i++) {
    const changed = new Set(Array.from({ length: 15 }, () => ids[draw(ids.length)]!));
    const rows = [...changed].map((id) => randomRow(id, draw));
    await updateSkills({ database: grown, rows, source: 'rows', semantic: false });
    await removeSkills({ database: grown, ids: Array.from({ length: 5 }, () => ids[draw(ids.length)]!) });
  }
  await withChanges(undefined, grown, (changes) => applyChanges(once, changes, { note: 'a 1' }));
  expect([...numbersIn(grown)].toSorted()).not.toEqual([...numbersIn(once)].toSorted());

  const expected = await answersIn(once);
  expect(expected.join()).toContain('"copies":2');
  expect(await answersIn(grown)).toEqual(expected);
  for (const database of [grown, once]) {
    await indexOrWarn(database, { onProgress: () => {}, onWarning: ({ message }) => expect.fail(message) });
    expect(await answersIn(database)).toEqual(expected);
  }
});
