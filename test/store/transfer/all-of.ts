import { openSkillSearch, type SkillSearch } from '../../../src/index.js';
import { readFacts, writeFacts, writeMeta } from '../../../src/store/notes.js';
import { Database } from '../../../src/store/sqlite.js';
import { differenceOf } from '../../../src/store/transfer/difference.js';
import type { SkillImage } from '../../../src/store/transfer/skill-image.js';
import { answersOf } from '../../load/changed-rows.js';
import { embedder } from './random-states.js';

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
    const digests = images.flatMap(({ contents }) => contents?.files.filter(({ kept }) => kept === 'blob') ?? []);
    const blobs = await all.blobs(digests.map(({ sha256 }) => sha256));
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
  const connection = new Database(database);
  writeMeta(connection, 'signature_rules', '0 0');
  writeFacts(connection, readFacts(connection));
  connection.close();
}

/** The numbers of the skills of a catalogue. */
export function numbersIn(database: string): ReadonlyMap<string, number> {
  const connection = new Database(database, { readonly: true });
  try {
    return new Map(connection.prepare<[], [string, number]>('SELECT id, number FROM skill').raw().all());
  } finally {
    connection.close();
  }
}
