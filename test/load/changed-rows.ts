import fc from 'fast-check';
import type { SkillSearch } from '../../src/index.js';
import { inDatabase } from '../catalogue-file.js';

/** A row of a random catalogue: few names, texts and dates, so that many skills have one in common. */
export interface ChangedRow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly author: string;
  readonly stars: number;
  readonly updatedAt: number;
  readonly categories: readonly string[];
  readonly license?: string;
  readonly files: readonly { readonly filename: string; readonly text: string }[];
}

/** One small change. */
export type Change = { readonly rows: readonly ChangedRow[] } | { readonly ids: readonly string[] };

const IDS = Array.from({ length: 14 }, (_, i) => `skill-${'abcdefghijklmn'[i]}`);
const LONG = Array.from({ length: 120 }, (_, i) => `word${i}`).join(' ');
const OTHER = Array.from({ length: 120 }, (_, i) => `term${i}`).join(' ');

const rowOf = fc.record({
  id: fc.constantFrom(...IDS),
  name: fc.constantFrom('react testing', 'react', 'release notes', 'data pipeline', 'Übersetzung'),
  description: fc.constantFrom('Writes tests.', 'Writes release notes from the log.', 'Moves data about.', 'react'),
  author: fc.constantFrom('ann', 'bob', 'Ann'),
  stars: fc.integer({ min: 0, max: 3 }),
  updatedAt: fc.integer({ min: 1_700_000_000, max: 1_700_000_004 }),
  categories: fc.subarray(['testing', 'data', 'writing'], { maxLength: 2 }),
  license: fc.constantFrom('MIT', 'Apache-2.0'),
  files: fc
    .constantFrom('', LONG, `${LONG} more`, OTHER, 'A short text of a few words.')
    .map((text) => [{ filename: 'SKILL.md', text: text === '' ? 'Nothing.' : text }]),
});

/** Rows with different ids. */
export const randomRows: fc.Arbitrary<readonly ChangedRow[]> = fc.uniqueArray(rowOf, {
  selector: ({ id }) => id,
  minLength: 1,
  maxLength: 10,
});

export const randomChanges: fc.Arbitrary<readonly Change[]> = fc.array(
  fc.oneof(
    fc.uniqueArray(rowOf, { selector: ({ id }) => id, minLength: 1, maxLength: 3 }).map((rows) => ({ rows })),
    fc.subarray([...IDS, 'nobody'], { minLength: 1, maxLength: 3 }).map((ids) => ({ ids })),
  ),
  { minLength: 1, maxLength: 6 },
);

const WORDS = [
  'react',
  'tests',
  'release notes',
  '"writes release"',
  'word7',
  'ubersetzung',
  'terms',
  'log dat',
  'skil',
];

/** Everything that a search answers about such a catalogue. */
export async function answersOf(search: SkillSearch, byMeaning = true): Promise<unknown[]> {
  const answers: unknown[] = [search.stats().skills, search.categories(), search.occupations()];
  for (const q of WORDS) {
    for (const sortBy of ['relevance', 'recent', 'stars'] as const) {
      answers.push(search.keyword({ q, sortBy, limit: 50, facets: ['category', 'author', 'license'] }));
    }
    answers.push(search.keyword({ q, copies: 'keep', limit: 50, category: 'testing' }));
    answers.push(search.keyword({ q, limit: 50, author: 'ann' }), search.keyword({ q, license: 'MIT' }));
    answers.push(search.suggest(q.slice(0, 4)));
    if (byMeaning)
      answers.push(await search.semantic({ q, limit: 20 }), await search.semantic({ q, ranking: 'vector' }));
  }
  answers.push(search.list({ limit: 50, copies: 'keep' }), search.list({ limit: 50, sortBy: 'stars' }));
  for (const id of [...IDS, 'nobody']) {
    answers.push([id, search.get(id), search.files(id), search.contents(id)]);
    if (byMeaning && search.get(id) !== undefined) answers.push(await search.similar(id));
  }
  return JSON.parse(JSON.stringify(answers)) as unknown[];
}

/** Whether the last change of a catalogue was one in place: a whole load forgets the states. */
export function lastChangeInPlace(path: string): boolean {
  return inDatabase(path, (database) => database.prepare('SELECT 1 FROM state').get() !== undefined);
}
