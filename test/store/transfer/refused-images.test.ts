import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildCatalogue } from '../../../src/index.js';
import { applyChanges } from '../../../src/store/transfer/apply-changes.js';
import type { CatalogueChanges } from '../../../src/store/transfer/catalogue-changes.js';
import type { SkillImage } from '../../../src/store/transfer/skill-image.js';
import { contentOf, traceOf } from '../../catalogue-file.js';
import { row } from '../../rows.js';
import { scratchFolder } from '../../scratch-folder.js';
import { StandInEmbedder } from '../../semantic/stand-in-embedder.js';
import { signedByEarlierVersion } from './all-of.js';
import { withChanges } from './with-changes.js';

const embedder = new StandInEmbedder();

/**
 * What is wrong with what comes. The skill at fault is `b`, but for files that are kept as they are, which `skills-pdf`
 * has.
 */
const FAULTS: readonly (readonly [what: string, skill: string, (c: CatalogueChanges) => Partial<CatalogueChanges>])[] =
  [
    [
      'a text that its hash does not cover',
      'b',
      only('b', (image) => ({ ...image, files: [{ filename: 'SKILL.md', text: 'x' }] })),
    ],
    ['no files', 'b', only('b', (image) => ({ ...image, files: [] }))],
    [
      'a label that its hash does not cover',
      'b',
      only('b', (image) => ({ ...image, columns: { ...image.columns, tags: '["x"]' } })),
    ],
    [
      'a date that its record does not say',
      'b',
      only('b', (image) => ({ ...image, columns: { ...image.columns, updatedAt: 7 } })),
    ],
    [
      'an id that its record does not say',
      'bb',
      ({ changed, ...changes }) => ({
        changed: changed.map((id) => (id === 'b' ? 'bb' : id)),
        images: only('b', (image) => ({ ...image, columns: { ...image.columns, id: 'bb' } }))({ changed, ...changes })
          .images!,
      }),
    ],
    ['derived categories that are no list', 'b', only('b', (image) => ({ ...image, derivedCategories: '{"a":1}' }))],
    ['contents that are gone', 'skills-pdf', only('skills-pdf', ({ contents: _, ...image }) => image)],
    ['another skill in its place', 'b', only('b', (image) => ({ ...image, columns: { ...image.columns, id: 'x' } }))],
    [
      'a vector that is too short',
      'b',
      (changes) => ({
        vectors: async (hashes) =>
          (await changes.vectors(hashes)).map((one, i) =>
            i === 0 ? { ...one, embedding: one.embedding.subarray(4) } : one,
          ),
      }),
    ],
    ['a vector that is missing', 'b', () => ({ vectors: async () => [] })],
    ['bytes of a file that are missing', 'skills-pdf', () => ({ blobs: async () => [] })],
  ];

let folder: string;
/** With `a` alone. */
let former: string;
/** With all three. */
let later: string;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'skill-discovery-refused-')));
  [former, later] = [join(folder, 'former.db'), join(folder, 'later.db')];
  await buildCatalogue({ database: later, sources: [[row('a')]], embedder });
  cpSync(later, former);
  const pdf = join(folder, 'skills', 'pdf');
  mkdirSync(pdf, { recursive: true });
  writeFileSync(join(pdf, 'SKILL.md'), '---\nname: pdf\ndescription: Fills forms.\n---\n\nText.\n');
  writeFileSync(join(pdf, 'run.bin'), '\0one');
  await buildCatalogue({ database: later, sources: [[row('a'), row('b')], dirname(pdf)], embedder, git: false });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(['in place', 'as a whole load'] as const)('a skill that is to be written %s', (way) => {
  test.each(FAULTS)('and comes with %s is refused by its name, and nothing is changed', async (_, skill, more) => {
    const copy = join(scratchFolder(), 'copy.db');
    cpSync(former, copy);
    if (way === 'as a whole load') signedByEarlierVersion(copy);
    const before = traceOf(copy);
    await withChanges(former, later, (changes) => expectDamaged(copy, changes, skill), more);
    expect(traceOf(copy)).toEqual(before);
    await withChanges(former, later, (changes) => applyChanges(copy, changes, { note: 'a 1' }));
    expect([...contentOf(copy).keys()]).toEqual(['a', 'b', 'skills-pdf']);
  });
});

test('a skill that does not come is missed', async () => {
  const copy = join(scratchFolder(), 'copy.db');
  const more = (changes: CatalogueChanges): Partial<CatalogueChanges> => ({
    async *images() {
      for await (const images of changes.images()) yield images.slice(0, -1);
    },
  });
  await withChanges(undefined, later, (changes) => expectDamaged(copy, changes, 'skills-pdf'), more);
  expect(existsSync(copy)).toBe(false);
});

async function expectDamaged(copy: string, changes: CatalogueChanges, skill: string): Promise<void> {
  const applied = applyChanges(copy, changes, { note: 'a 1' });
  await expect(applied).rejects.toMatchObject({ code: 'DATABASE_DAMAGED', skill });
}

/** Changes with another image of one skill. */
function only(id: string, change: (image: SkillImage) => SkillImage) {
  return (changes: CatalogueChanges): Partial<CatalogueChanges> => ({
    async *images() {
      for await (const images of changes.images()) {
        yield images.map((image) => (image.columns.id === id ? change(image) : image));
      }
    },
  });
}
