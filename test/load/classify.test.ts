import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  buildCatalogue,
  checkCatalogue,
  type LoadReport,
  openSkillSearch,
  removeSkills,
  type SkillSearch,
  updateSkills,
} from '../../src/index.js';
import { readClassifier } from '../../src/semantic/classifier.js';
import { embeddedText } from '../../src/semantic/index.js';
import { changeIn, storedRecords } from '../catalogue-file.js';
import { type Row, row } from '../rows.js';
import { scratchFolder } from '../scratch-folder.js';
import { CategoryEmbedder } from './category-embedder.js';

const classifier = readClassifier();

const embedder = new CategoryEmbedder();

const TESTS = row('tests', {
  name: 'unit-tests',
  description:
    'Write unit tests and integration tests with pytest. Find flaky tests, mock what is slow, raise coverage.',
});
const COMMITS = row('commits', {
  name: 'git-commit',
  description: 'Write commit messages for git: look at the staged diff, make a commit, rebase the branch, open a PR.',
});
const GIVEN: Row = { ...TESTS, id: 'given', name: 'unit-tests-given', categories: ['my-own-slug'] };
const UNSURE = row('unsure', { name: 'thing', description: 'Does it.' });
const ROWS = [TESTS, COMMITS, GIVEN, UNSURE];

/** What the classifier says of a row by itself. */
async function expectedOf({ name = '', description = '' }: Row): Promise<string[]> {
  const [vector] = await embedder.embed([embeddedText(name, description)]);
  return classifier.classify(name, description, vector!);
}

interface Catalogue {
  readonly database: string;
  load(rows: readonly Row[], more?: object): Promise<LoadReport>;
  searching<T>(ask: (search: SkillSearch) => T): Promise<T>;
}

function catalogue(): Catalogue {
  const database = join(scratchFolder(), 'skills.db');
  return {
    database,
    load: (rows, more) => buildCatalogue({ database, sources: [{ name: 'rows', rows }], embedder, ...more }),
    async searching(ask) {
      await using search = await openSkillSearch({ database });
      return ask(search);
    },
  };
}

/** The derived categories of each skill that has any. */
function derivedIn({ searching }: Catalogue): Promise<Record<string, readonly string[]>> {
  return searching((search) => {
    const found = search.ids().map((id) => [id, search.get(id)?.derivedCategories] as const);
    return Object.fromEntries(found.filter(([, slugs]) => slugs !== undefined)) as Record<string, readonly string[]>;
  });
}

describe('a load that classifies', () => {
  test('does not let words find them, nor records show them', async () => {
    const made = catalogue();
    await made.load([COMMITS], { classify: true });
    await made.searching((search) => {
      expect(search.get('commits')?.derivedCategories).toContain('git-workflows');
      expect(search.keyword({ q: '"git workflows"' }).hits).toEqual([]);
      const [record] = storedRecords(search, { q: 'git' }).records;
      expect(Object.keys(JSON.parse(record!) as object)).toHaveLength(8);
    });
  });

  test('classifies again what other rules have labelled', async () => {
    const made = catalogue();
    await made.load(ROWS, { classify: true });
    const expected = await derivedIn(made);
    // What an earlier version of the library would leave.
    changeIn(made.database, "UPDATE meta SET value = 'earlier' WHERE key = 'classifier'");
    await checkCatalogue({ database: made.database, repair: true });
    expect(await made.load(ROWS)).toMatchObject({ unchanged: 4, classified: 2 });
    expect(await derivedIn(made)).toEqual(expected);
  });

  test('restores them for a skill that a killed run had changed, and that is gone from the source', async () => {
    const made = catalogue();
    await made.load(ROWS, { classify: true });
    const expected = await derivedIn(made);
    const changed = [COMMITS, { ...TESTS, description: 'Something else.' }];
    const failing = Object.assign(new CategoryEmbedder(classifier.model, 384), {
      embed: () => Promise.reject(new Error('killed here')),
    });
    await expect(made.load(changed, { embedder: failing })).rejects.toThrow('killed here');

    expect(await made.load([COMMITS])).toMatchObject({ updated: 0, unchanged: 1 });
    expect(await derivedIn(made)).toEqual(expected);
  });
});

test('small changes of a classified catalogue leave nothing that a check takes for damage', async () => {
  const database = join(scratchFolder(), 'skills.db');
  await buildCatalogue({ database, sources: [{ name: 'rows', rows: ROWS }], classify: true, embedder });
  const problems = async (): Promise<readonly unknown[]> => (await checkCatalogue({ database })).problems;

  await updateSkills({
    database,
    rows: [
      { ...TESTS, stars: 7 },
      { ...UNSURE, description: 'Other.' },
    ],
    embedder,
  });
  expect(await problems()).toEqual([]);
  await updateSkills({ database, rows: [{ ...COMMITS, stars: 7 }], semantic: false });
  expect(await problems()).toEqual([]);
  await updateSkills({ database, rows: [{ ...TESTS, categories: ['own'] }], embedder });
  await removeSkills({ database, ids: ['unsure'] });
  expect(await problems()).toEqual([]);
  await using search = await openSkillSearch({ database, embedder });
  expect(search.get('commits')?.derivedCategories).toEqual(await expectedOf(COMMITS));
});

test.each([`'["defi"]'`, 'NULL'])(
  'derived categories that are damaged (%s) are not shown: the skill counts as damaged, the check names it, and the next load heals it',
  async (derived) => {
    const made = catalogue();
    await made.load(ROWS, { classify: true });
    const expected = await derivedIn(made);
    changeIn(made.database, `UPDATE revision SET derived = ${derived} WHERE derived LIKE '%testing%'`);

    await made.searching((search) => expect(() => search.get('tests')).toThrow(/tests is not as it was written/));
    const { problems } = await checkCatalogue({ database: made.database });
    expect(problems).toMatchObject([{ skill: 'tests', problem: 'its row does not fit its checksum' }]);
    await made.load(ROWS);
    expect(await derivedIn(made)).toEqual(expected);
    expect((await checkCatalogue({ database: made.database })).problems).toEqual([]);
  },
);
