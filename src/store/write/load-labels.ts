import type { SkillNumber, VectorNumber } from '../../core/index.js';
import { isVectorWhole, recordChecksum } from '../checksums.js';
import { CLASSIFIER_KEY } from '../derived-labels.js';
import { readMeta } from '../meta.js';
import { type BesideRecord, fieldsOf, unpackRecord } from '../packed-record.js';
import type { Statement } from '../sqlite/connection.js';
import { decodeVector } from '../vector-bytes.js';
import type { LabelledSkill, LabelSink, SkillToLabel } from './label-sink.js';
import { OpenChange } from './open-change.js';
import type { OpenLoad } from './open-load.js';
import type { WriterStatements } from './writer-statements.js';

interface StoredSkill extends BesideRecord {
  readonly hash: Buffer;
  readonly record: string;
  readonly recordChecksum: number | null;
}

interface StoredVector {
  readonly number: VectorNumber;
  readonly embedding: Buffer;
  readonly checksum: number | null;
}

/** The SQL that reads what a classifier sees. */
interface Reading {
  readonly skill: Statement<[SkillNumber], StoredSkill>;
  readonly vector: Statement<[skill: SkillNumber, model: string], StoredVector>;
}

/** The derived labels of a load. */
export class LoadLabels implements LabelSink {
  readonly #load: OpenLoad | OpenChange;
  /** The statements that {@link #reading} was made of. */
  #readingFrom: WriterStatements | undefined;
  #reading: Reading | undefined;
  #isForgotten = false;
  #hasMended = false;

  constructor(load: OpenLoad | OpenChange) {
    this.#load = load;
  }

  /** Rules of the classifier that the catalogue was labelled by; undefined if it is not classified. */
  get rules(): string | undefined {
    return this.#load.guard(() => readMeta(this.#load.statements.connection, CLASSIFIER_KEY));
  }

  /** Whether damaged labels were found, and are made again. */
  get hasMended(): boolean {
    return this.#hasMended;
  }

  /** Whether there is something to write at the end, beside what is in a working copy already. */
  get hasWork(): boolean {
    return this.#isForgotten && this.rules !== undefined;
  }

  hasVectorsOf(model: string): boolean {
    return this.#load.guard(() => this.#load.statements.vectors.models().includes(model));
  }

  /** Makes a catalogue that is not classified of it when the load ends. */
  forgetAll(): void {
    this.#isForgotten = true;
  }

  begin(rules: string): SkillNumber[] {
    return this.#load.guard(() => {
      const { connection } = this.#load.statements;
      if (readMeta(connection, CLASSIFIER_KEY) !== rules) {
        this.#load.write().labels.restart(rules);
        this.#load.flush();
      }
      const { skills, hasDamaged } = this.#load.statements.labels.missing(
        this.#load instanceof OpenChange ? this.#load.loaded : 0,
      );
      this.#hasMended ||= hasDamaged;
      return skills;
    });
  }

  skillToLabel(skill: SkillNumber, model: string): SkillToLabel | undefined {
    return this.#load.guard(() => {
      const reading = this.#statements();
      const stored = reading.skill.get(skill);
      if (stored === undefined) return undefined;
      const record = unpackRecord(stored.record, stored);
      if (recordChecksum(skill, record) !== stored.recordChecksum) return undefined;
      const { name, description } = fieldsOf(stored.record, stored);
      const found = reading.vector.get(skill, model);
      const isWhole = found !== undefined && isVectorWhole(found.number, found.embedding, found.checksum);
      return { skill, hash: stored.hash, name, description, vector: isWhole ? vectorOf(found.embedding) : undefined };
    });
  }

  putLabels(skills: Iterable<LabelledSkill>): void {
    this.#load.guard(() => {
      for (const { skill, hash, categories } of skills) this.#load.write().labels.put(skill, hash, categories);
    });
  }

  /**
   * Writes what is left for the end of a load.
   *
   * @returns whether the labels are others than before the load
   */
  writeEnd({ labels }: WriterStatements): boolean {
    const { base, resumed } = this.#load;
    if (this.#isForgotten) labels.restart(undefined);
    labels.deleteVoid();
    if (base === undefined) return true;
    if (resumed) labels.restoreFromBase();
    return labels.fingerprint('main') !== labels.fingerprint('base');
  }

  #statements(): Reading {
    const { statements } = this.#load;
    if (this.#reading === undefined || this.#readingFrom !== statements) {
      this.#readingFrom = statements;
      const { connection } = statements;
      this.#reading = {
        skill: connection.prepare(`
          SELECT hash, record, id, stars, updated_at AS updatedAt, place, record_checksum AS recordChecksum
          FROM skill WHERE number = ?`),
        vector: connection.prepare(`
          SELECT number, embedding, checksum FROM vector
          WHERE text_hash = (SELECT text_hash FROM skill WHERE number = ?)
            AND model = (SELECT number FROM model WHERE id = ?)`),
      };
    }
    return this.#reading;
  }
}

function vectorOf(embedding: Buffer): Float32Array {
  const vector = new Float32Array(embedding.length / 4);
  decodeVector(embedding, vector, 0);
  return vector;
}
