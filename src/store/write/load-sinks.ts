import type { SkillNumber, VectorNumber } from '../../core/index.js';
import { CLASSIFIER_KEY, isVectorWhole } from '../checksums.js';
import { readMeta } from '../notes.js';
import { StoredRows } from '../read/stored-row.js';
import { decodeVector } from '../read/stored-vectors.js';
import type { Statement } from '../sqlite.js';
import type { RecordFields } from '../stored-skill.js';
import type { DamagedSkills } from './catalogue-repair.js';
import type { LabelledSkill, LabelSink, SkillToLabel } from './labels.js';
import type { OpenChange } from './open-change.js';
import type { OpenLoad } from './open-load.js';
import type { EmbeddedText, EmbeddingSink, TextToEmbed } from './vectors.js';
import type { WriterStatements } from './writer-statements.js';

/** The vectors of a load, and the model that makes them. */
export class LoadVectors implements EmbeddingSink {
  readonly #load: OpenLoad | OpenChange;
  readonly #damaged: Pick<DamagedSkills, 'has'> | undefined;
  #model: string | undefined;

  /** @param damaged skills whose text is not certain; looked at when vectors are made */
  constructor(load: OpenLoad | OpenChange, damaged: Pick<DamagedSkills, 'has'> | undefined) {
    this.#load = load;
    this.#damaged = damaged;
  }

  /** Id of the model whose vectors the catalogue had before the load; undefined if it had none. */
  get modelBefore(): string | undefined {
    return this.#load.guard(() => this.#load.base?.vectors.models()[0]);
  }

  /** Id of the model that makes the vectors of this load; undefined before {@link useModel}. */
  get model(): string | undefined {
    return this.#model;
  }

  /** Vectors of any other model are deleted when the load ends, if this one has made any. */
  useModel(model: string): SkillNumber[] {
    this.#model = model;
    return this.#load.guard(() => {
      const missing = this.#missing(this.#load.statements);
      if (missing.length === 0 || this.#load.hasWorkingCopy) return missing;
      // A new working copy takes over what a killed load has embedded.
      return this.#missing(this.#load.startWorkingCopy());
    });
  }

  get dimensions(): number | undefined {
    return this.#load.guard(() => this.#load.statements.vectors.dimensions(this.#chosenModel()));
  }

  textToEmbed(skill: SkillNumber): TextToEmbed {
    return this.#load.guard(() => this.#load.statements.vectors.text(skill));
  }

  putVectors(vectors: Iterable<EmbeddedText>): void {
    this.#load.guard(() => {
      const statements = this.#load.write();
      for (const { textHash, vector } of vectors) statements.vectors.put(this.#chosenModel(), textHash, vector);
      this.#load.flush();
    });
  }

  #missing({ vectors }: WriterStatements): SkillNumber[] {
    return vectors
      .missing(this.#chosenModel(), this.#load.loaded)
      .filter((skill) => this.#damaged?.has(skill) !== true);
  }

  #chosenModel(): string {
    if (this.#model === undefined) throw new Error('useModel() must be called first');
    return this.#model;
  }
}

interface StoredVector {
  readonly number: VectorNumber;
  readonly embedding: Buffer;
  readonly checksum: number | null;
}

/** The SQL that reads what a classifier sees. */
interface Reading {
  readonly skills: StoredRows;
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
      const { skills, hasDamaged } = this.#load.statements.labels.missing(this.#load.loaded);
      this.#hasMended ||= hasDamaged;
      return skills;
    });
  }

  skillToLabel(skill: SkillNumber, model: string): SkillToLabel | undefined {
    return this.#load.guard(() => {
      const reading = this.#statements();
      const stored = reading.skills.wholeRow(skill);
      if (stored === undefined) return undefined;
      const { name, description } = JSON.parse(stored.record) as RecordFields;
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
    const { base } = this.#load;
    if (this.#isForgotten) labels.restart(undefined);
    labels.deleteVoid();
    if (base === undefined) return true;
    return labels.fingerprint('main') !== labels.fingerprint('base');
  }

  #statements(): Reading {
    const { statements } = this.#load;
    if (this.#reading === undefined || this.#readingFrom !== statements) {
      this.#readingFrom = statements;
      const { connection } = statements;
      this.#reading = {
        skills: new StoredRows(connection),
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
