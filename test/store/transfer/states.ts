import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { buildCatalogue, openSkillSearch, removeSkills, type SkillSearch, updateSkills } from '../../../src/index.js';
import { readFacts, writeFacts, writeMeta } from '../../../src/store/notes.js';
import type { Connection } from '../../../src/store/sqlite.js';
import { blobsIn } from '../../../src/store/stored-skill.js';
import { differenceOf } from '../../../src/store/transfer/difference.js';
import type { CatalogueChanges, SkillImage } from '../../../src/store/transfer/skill-image.js';
import { inDatabase } from '../../catalogue-file.js';
import { CategoryEmbedder } from '../../load/category-embedder.js';
import { answersOf, type ChangedRow, randomRows } from '../../load/changed-rows.js';
import { StandInEmbedder } from '../../semantic/stand-in-embedder.js';
import { writeFiles } from '../../sources/folders.js';

/**
 * Calls work with the difference of two catalogues, or with one that is not quite it.
 *
 * @param more takes the place of what the difference says
 */
export async function withChanges<T>(
  base: string | undefined,
  next: string,
  work: (changes: CatalogueChanges) => T,
  more: (changes: CatalogueChanges) => Partial<CatalogueChanges> = () => ({}),
): Promise<Awaited<T>> {
  const found = differenceOf(base, next);
  try {
    const { stamp, model, classifier, removed, changed } = found;
    const changes: CatalogueChanges = {
      ...{ stamp, model, classifier, removed, changed },
      images: () => found.images(),
      blobs: (digests) => found.blobs(digests),
      vectors: (textHashes) => found.vectors(textHashes),
    };
    return await work({ ...changes, ...more(changes) });
  } finally {
    found.close();
  }
}

/** Vectors that the classifier can read, and that differ from text to text. */
class MixedEmbedder extends CategoryEmbedder {
  readonly #words = new StandInEmbedder('words', 384);

  override async embed(texts: readonly string[]): Promise<Float32Array[]> {
    const [categories, words] = await Promise.all([super.embed(texts), this.#words.embed(texts)]);
    return categories.map((vector, i) => {
      const mixed = vector.map((value, at) => value + 0.1 * words[i]![at]!);
      const length = Math.hypot(...mixed);
      return mixed.map((value) => value / length);
    });
  }
}

export const embedder = new MixedEmbedder();

/** Files of a folder of skills by their paths. */
type Files = Readonly<Record<string, string>>;

/** Something that makes another state of a catalogue. */
export type Step =
  | {
      readonly load: string;
      readonly rows: readonly ChangedRow[];
      readonly prune: boolean;
      readonly classify?: boolean;
    }
  | { readonly folder: Files; readonly prune: boolean }
  | { readonly update: string; readonly rows: readonly ChangedRow[] }
  | { readonly ids: readonly string[] };

const sourceOf = fc.constantFrom('one', 'two', 'three');

/** Some that a classifier has something to say of. */
const rowsOf: fc.Arbitrary<readonly ChangedRow[]> = fc
  .tuple(
    randomRows,
    fc.array(fc.constantFrom('', 'Runs pytest.', 'Commits with git.'), { minLength: 10, maxLength: 10 }),
  )
  .map(([rows, texts]) =>
    rows.map((row, i) => (texts[i] === '' ? row : { ...row, description: texts[i]!, categories: [] })),
  );

const filesOf: fc.Arbitrary<Files> = fc
  .uniqueArray(fc.constantFrom('pdf', 'csv', 'tar'), { maxLength: 3 })
  .chain((names) =>
    fc.record({
      description: fc.constantFrom('Fills forms.', 'Reads tables.'),
      script: fc.constantFrom('', 'echo one\n', 'echo two\n'.repeat(30)),
      names: fc.constant(names),
    }),
  )
  .map(({ description, script, names }) =>
    Object.fromEntries(
      names.flatMap((name) => [
        [`${name}/SKILL.md`, `---\nname: ${name}\ndescription: ${description}\n---\n\nText of ${name}.\n`],
        ...(script === ''
          ? []
          : [
              [`${name}/scripts/run.sh`, script],
              [`${name}/copy.bin`, `\0${script}`],
            ]),
      ]),
    ),
  );

const stepOf: fc.Arbitrary<Step> = fc.oneof(
  fc.record(
    { load: sourceOf, rows: rowsOf, prune: fc.boolean(), classify: fc.boolean() },
    { requiredKeys: ['load', 'rows', 'prune'] },
  ),
  fc.record({ folder: filesOf, prune: fc.boolean() }),
  fc.record({ update: sourceOf, rows: rowsOf.map((rows) => rows.slice(0, 3)) }),
  fc.record({ ids: fc.subarray(['skill-a', 'skill-b', 'skill-c', 'skill-d', 'nobody'], { minLength: 1 }) }),
);

/** The first makes a catalogue. */
export const randomSteps: fc.Arbitrary<readonly Step[]> = fc
  .tuple(fc.record({ load: sourceOf, rows: rowsOf, prune: fc.boolean() }), fc.array(stepOf, { maxLength: 4 }))
  .map(([first, more]) => [first, ...more]);

export const moreSteps: fc.Arbitrary<readonly Step[]> = fc.array(stepOf, { minLength: 1, maxLength: 4 });

export async function take(database: string, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if ('ids' in step) await removeSkills({ database, ids: step.ids });
    else if ('update' in step) await updateSkills({ database, rows: step.rows, source: step.update, embedder });
    else if ('load' in step) {
      const { load: name, rows, prune, classify } = step;
      await buildCatalogue({ database, sources: [{ name, rows }], prune, classify, embedder });
    } else {
      const folder = join(dirname(database), 'folder');
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      await writeFiles(folder, step.folder);
      await buildCatalogue({ database, sources: [folder], prune: step.prune, embedder, git: false });
    }
  }
}

/** All that a catalogue has. */
export interface AllOfCatalogue {
  readonly stamp: string;
  readonly classifier: string | undefined;
  readonly images: readonly SkillImage[];
  /** Bytes of contents, as they are stored, by their digest. */
  readonly blobs: Readonly<Record<string, string>>;
  /** Of the texts of its skills, by their hash. */
  readonly vectors: Readonly<Record<string, string>>;
}

export async function allOf(database: string): Promise<AllOfCatalogue> {
  const all = differenceOf(undefined, database);
  try {
    const images: SkillImage[] = [];
    for await (const batch of all.images()) images.push(...batch);
    const digests = images.flatMap(({ columns }) => blobsIn(columns.contents));
    const blobs = await all.blobs(digests.map(({ sha256 }) => Buffer.from(sha256, 'hex')));
    const vectors = await all.vectors(images.map(({ columns }) => columns.textHash));
    return {
      stamp: all.stamp,
      classifier: all.classifier,
      images,
      blobs: Object.fromEntries(blobs.map(({ sha256, bytes }) => [sha256, bytes.toString('hex')])),
      vectors: Object.fromEntries(vectors.map((one) => [one.textHash.toString('hex'), one.embedding.toString('hex')])),
    };
  } finally {
    all.close();
  }
}

/** What a search answers about a catalogue, with what an answer computes when it is read. */
export async function answersIn(database: string, byMeaning: boolean): Promise<string> {
  await using search: SkillSearch = await openSkillSearch({ database, embedder });
  const explained = ['react tests', 'git', 'word7 word8'].map((q) =>
    search.keyword({ q, limit: 50, facets: ['category', 'author', 'license'] }).hits.map((hit) => ({
      ...hit,
      matches: hit.matches,
      snippet: hit.snippet,
    })),
  );
  const meant = byMeaning ? await search.semantic({ q: 'react tests', limit: 50, explain: true }) : undefined;
  return JSON.stringify([await answersOf(search, byMeaning), explained, meant], null, 1);
}

/** Makes a catalogue one that cannot be changed in place: an earlier version has made its signatures. */
export function signedByEarlierVersion(database: string): void {
  const sign = (connection: Connection): void => {
    writeMeta(connection, 'signature_rules', '0 0');
    writeFacts(connection, readFacts(connection));
  };
  inDatabase(database, sign, false);
}

/** The numbers of the skills of a catalogue. */
export function numbersIn(database: string): ReadonlyMap<string, number> {
  const read = 'SELECT id, number FROM skill';
  return new Map(inDatabase(database, (connection) => connection.prepare<[], [string, number]>(read).raw().all()));
}
