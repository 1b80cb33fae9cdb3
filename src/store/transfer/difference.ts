import { SkillSearchError } from '../../core/index.js';
import { beyondRepair, guarded, openForReading, orClose } from '../database.js';
import { checkNotes, readFacts, readMeta } from '../notes.js';
import type { Connection } from '../sqlite.js';
import {
  bytesOfImage,
  type CatalogueChanges,
  type CatalogueHead,
  headOf,
  ImageReader,
  type SkillImage,
} from './skill-image.js';

/**
 * Skills of a batch at most, and the characters of texts that end one: some milliseconds to read, some megabytes. Files
 * that are kept as blobs are not read yet, and may be larger.
 */
const BATCH = 250;
const BATCH_CHARACTERS = 2 ** 20;
/** Bytes of texts and files of a batch: a slow line must bring them within the time of a statement. */
const BATCH_BYTES: number = 16 * 1024 * 1024;

/** Changes that are read from a catalogue as long as it is open. */
export interface OpenDifference extends CatalogueChanges {
  /** Closes the catalogue. May be called more than once. */
  close(): void;
}

/**
 * What leads from one finished catalogue to another. A vector whose text no skill of the later one has is no
 * difference.
 *
 * @param base path of the former catalogue; undefined: all of the later one is new. It is read before this returns
 * @param next path of the later catalogue, which must stay as it is until {@link OpenDifference.close}
 * @throws {SkillSearchError} `DATABASE_DAMAGED`, also when what was asked for is read: then it names the skill;
 *   `LOAD_IN_PROGRESS` if the later catalogue is changed meanwhile; and those of opening a catalogue
 */
export function differenceOf(base: string | undefined, next: string): OpenDifference {
  // Refuses what is no catalogue, and plays back the journal of a killed change, which an attached one would not.
  if (base !== undefined) openChecked(base).close();
  const open = (connection: Connection): OpenDifference => {
    connection.pragma('temp_store = MEMORY');
    if (base !== undefined) connection.prepare('ATTACH ? AS base').run(base);
    const read = connection.transaction(() => {
      const head = headOf(connection);
      const all = connection.prepare<[], string>('SELECT id FROM skill ORDER BY id').pluck();
      return {
        head,
        ids: base === undefined ? { removed: [], changed: all.all() } : changedIds(connection, head.model),
      };
    });
    const { head, ids } = read();
    if (base !== undefined) connection.exec('DETACH base');
    return openDifference(connection, next, head, ids);
  };
  return orClose(openChecked(next), open, next);
}

function openDifference(
  connection: Connection,
  path: string,
  head: CatalogueHead,
  { removed, changed }: ChangedIds,
): OpenDifference {
  const reader = new ImageReader(connection, path, head.model);
  const read = <T>(work: () => T): T => {
    const inState = connection.transaction(() => {
      if (readMeta(connection, 'stamp') === head.stamp) return work();
      const message = `${path} was changed while it was compared: compare it again`;
      throw new SkillSearchError('LOAD_IN_PROGRESS', message, { path });
    });
    return guarded(path, 'read', inState);
  };
  return {
    ...head,
    removed,
    changed,
    async *images() {
      for (let done = 0; done < changed.length; ) {
        const batch = read(() => imagesFrom(reader, changed, done));
        done += batch.length;
        yield batch;
        await new Promise(setImmediate);
      }
    },
    blobs: async (digests) => read(() => reader.blobs(digests)),
    vectors: async (textHashes) => read(() => reader.vectors(textHashes)),
    close: () => void connection.close(),
  };
}

function imagesFrom(reader: ImageReader, ids: readonly string[], first: number): SkillImage[] {
  const images: SkillImage[] = [];
  let characters = 0;
  let bytes = 0;
  for (let i = first; i < ids.length && images.length < BATCH && characters < BATCH_CHARACTERS; i++) {
    const image = reader.image(ids[i]!);
    bytes += bytesOfImage(image);
    // It is the first one of the next batch.
    if (images.length > 0 && bytes > BATCH_BYTES) break;
    for (const { text } of image.files) characters += text.length;
    images.push(image);
  }
  return images;
}

/** Opens a finished catalogue whose notes about itself are right. */
function openChecked(path: string): Connection {
  const check = (connection: Connection): Connection => {
    checkNotes(connection, path);
    const skills = connection.prepare<[], number>('SELECT count(*) FROM skill').pluck().get()!;
    const noted = readFacts(connection)?.skills;
    if (noted === undefined || noted === skills) return connection;
    throw beyondRepair(path, `it has ${skills} skills, not ${noted}`);
  };
  return orClose(openForReading(path), check, path);
}

/** Which skills of two catalogues differ, in code-point order. */
interface ChangedIds {
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/**
 * Compares a catalogue with a former state of it. SQLite does all of it: an object for each of the skills, most of
 * which are as they were, would take longer.
 *
 * @param connection of the later state, in a transaction. The former one is attached as `base`
 * @param model of the vectors of the later state; undefined if it has none
 */
function changedIds(connection: Connection, model: CatalogueHead['model']): ChangedIds {
  const run = (sql: string, ...parameters: unknown[]): unknown => connection.prepare(sql).run(...parameters);
  const idsOf = (sql: string): string[] => connection.prepare<[], string>(sql).pluck().all();
  run('CREATE TEMP TABLE same (next INTEGER PRIMARY KEY, base INTEGER NOT NULL)');
  run('CREATE TEMP TABLE differs (skill INTEGER PRIMARY KEY)');
  run(SAME_NUMBER);
  run(SAME_ID);
  // After the rows: one that is filled row by row takes longer.
  run('CREATE UNIQUE INDEX temp.same_base ON same (base)');
  run(SOURCES);
  for (const sql of CLAIMS) run(sql);
  run(LABELS);
  if (model !== undefined) run(MORE_VECTORS, model);
  run(LESS_VECTORS, model?.id ?? null);
  return {
    removed: idsOf(`
      SELECT id FROM base.skill AS former
      WHERE number NOT IN (SELECT base FROM same) AND NOT EXISTS (SELECT 1 FROM main.skill WHERE id = former.id)
      ORDER BY id`),
    changed: idsOf(`
      SELECT id FROM main.skill
      WHERE number NOT IN (SELECT next FROM same) OR number IN (SELECT skill FROM differs) ORDER BY id`),
  };
}

/** Most skills that did not change have the number that they had: this reads both tables once, from end to end. */
const SAME_NUMBER = `
  INSERT INTO same SELECT now.number, now.number
  FROM main.skill AS now NOT INDEXED CROSS JOIN base.skill AS former ON former.number = now.number
  WHERE former.id = now.id AND former.hash = now.hash`;

const SAME_ID = `
  INSERT INTO same SELECT now.number, former.number
  FROM main.skill AS now NOT INDEXED CROSS JOIN base.skill AS former ON former.id = now.id
  WHERE now.number NOT IN (SELECT next FROM same) AND former.hash = now.hash`;

const SOURCES = `
  CREATE TEMP TABLE source_pair AS SELECT now.number AS next, former.number AS base
  FROM main.source AS now JOIN base.source AS former ON former.name = now.name`;

/** What is claimed now and was not before or from another row, and the reverse. */
const CLAIMS = [
  `INSERT OR IGNORE INTO differs SELECT now.skill
   FROM main.claim AS now CROSS JOIN same ON same.next = now.skill
     LEFT JOIN source_pair ON source_pair.next = now.source
     LEFT JOIN base.claim AS former ON former.source = source_pair.base AND former.skill = same.base
   WHERE former.skill IS NULL OR now.fingerprint IS NOT former.fingerprint OR now.hash IS NOT former.hash`,
  `INSERT OR IGNORE INTO differs SELECT same.next
   FROM base.claim AS former CROSS JOIN same ON same.base = former.skill
     LEFT JOIN source_pair ON source_pair.base = former.source
   WHERE NOT EXISTS (SELECT 1 FROM main.claim WHERE source = source_pair.next AND skill = same.next)`,
];

const LABELS = `
  INSERT OR IGNORE INTO differs SELECT now.number
  FROM main.skill AS now JOIN same ON same.next = now.number JOIN base.skill AS former ON former.number = same.base
  WHERE now.derived IS NOT former.derived`;

/**
 * Expects id and dimensions of the model. The later state has a vector of the text of these skills, and the former one
 * had none.
 */
const MORE_VECTORS = `
  INSERT OR IGNORE INTO differs SELECT number FROM main.skill WHERE text_hash IN (
    SELECT text_hash FROM main.vector AS now
    WHERE now.model = (SELECT number FROM main.model WHERE id = $id) AND NOT EXISTS (
      SELECT 1 FROM base.vector AS former
      WHERE former.model = (SELECT number FROM base.model WHERE id = $id AND dimensions = $dimensions)
        AND former.text_hash = now.text_hash))`;

/** Expects the id of the model, or NULL. The reverse. All vectors of a finished catalogue are of one model. */
const LESS_VECTORS = `
  INSERT OR IGNORE INTO differs SELECT number FROM main.skill WHERE text_hash IN (
    SELECT text_hash FROM base.vector AS former WHERE NOT EXISTS (
      SELECT 1 FROM main.vector AS now
      WHERE now.model = (SELECT number FROM main.model WHERE id = ?) AND now.text_hash = former.text_hash))`;
