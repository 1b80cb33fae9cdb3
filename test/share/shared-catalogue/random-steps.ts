import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { buildCatalogue, type LoadReport, removeSkills, type SkillSearch, updateSkills } from '../../../src/index.js';
import { catalogueSearchOf } from '../../../src/search/index.js';
import { storedRecords } from '../../catalogue-file.js';
import type { CataloguePlace } from '../../load/contract/catalogue-under-test.js';
import { skillsIn } from '../../load/contract/catalogue-under-test.js';
import { StandInEmbedder } from '../../semantic/stand-in-embedder.js';

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

/** Few ids, and places whose slugs collide. */
const WHO: readonly object[] = [
  { id: 'a' },
  { id: 'A' },
  { id: 'b' },
  { id: 'o-r-x' },
  { id: 'o-r-x', place: 'o-r/x' },
  { place: 'o/r-x' },
  { place: 'o-r/x' },
  { place: 'o/日本' },
  { id: 'a', stars: 'many' },
  { id: 'c\0\ud800', name: 'odd \0\udc00 name' },
  { author: 'o' },
];

const TEXTS = ['Writes release notes.', 'Writes tests.', 'Moves data about.', 'Übersetzt Texte.', 'react'];

function wholeFile(filename: string, text: string): object {
  const bytes = Buffer.from(text);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
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
