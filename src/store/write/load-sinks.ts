import type { SkillNumber } from '../../core/index.js';
import { isVectorWhole, type VectorRow } from '../checksums.js';
import { CLASSIFIER_KEY, readMeta, writeMeta } from '../notes.js';
import { SkillRows } from '../read/stored-row.js';
import { decodeVector } from '../read/stored-vectors.js';
import { fieldsOf } from '../stored-skill.js';
import type { DamagedSkills } from './catalogue-repair.js';
import type { OpenLoad } from './open-load.js';
import type { EmbeddedText, EmbeddingSink, TextToEmbed } from './vectors.js';
import type { WriterStatements } from './writer-statements.js';

/** The vectors of a load, and the model that makes them. */
export class LoadVectors implements EmbeddingSink {
  readonly #load: OpenLoad;
  readonly #damaged: Pick<DamagedSkills, 'has'> | undefined;
  model: string | undefined;

  /** @param damaged skills whose text is not certain; looked at when vectors are made */
  constructor(load: OpenLoad, damaged: Pick<DamagedSkills, 'has'> | undefined) {
    this.#load = load;
    this.#damaged = damaged;
  }

  /** Id of the model whose vectors the catalogue had before the load; undefined if it had none. */
  get modelBefore(): string | undefined {
    return this.#load.guard(() => this.#load.base?.vectors.models()[0]);
  }

  /** Whether there are skills without a vector that {@link useModel} does not name. */
  get leavesSome(): boolean {
    return this.#load.unembedded > 0;
  }

  /** Vectors of any other model are deleted when the load ends, if this one has made any. */
  useModel(model: string): SkillNumber[] {
    this.model = model;
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
    return this.#load.guard(() => this.#load.statements.vectors.text(skill)!);
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
    if (this.model === undefined) throw new Error('useModel() must be called first');
    return this.model;
  }
}

/** A skill without categories, as a classifier sees it. */
export interface SkillToLabel {
  readonly skill: SkillNumber;
  readonly name: string;
  readonly description: string;
  /** Undefined if it has none. */
  readonly vector: Float32Array | undefined;
}

/** What a classifier found of a skill. */
export interface LabelledSkill {
  readonly skill: SkillNumber;
  /** Slugs, the likeliest first; none where it was unsure. */
  readonly categories: readonly string[];
}

/** The categories that a load derives of skills that have none. */
export class LoadLabels {
  readonly #load: OpenLoad;
  #isForgotten = false;
  #hasChanged = false;

  constructor(load: OpenLoad) {
    this.#load = load;
  }

  /** Rules of the classifier that the catalogue was labelled by; undefined if it is not classified. */
  get rules(): string | undefined {
    return this.#load.guard(() => readMeta(this.#load.statements.connection, CLASSIFIER_KEY));
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

  /**
   * Begins to write labels. Those that were made by other rules are deleted.
   *
   * @param rules of the classifier
   * @returns the skills without categories that have no labels of these rules, in ascending order
   */
  begin(rules: string): SkillNumber[] {
    return this.#load.guard(() => {
      if (this.rules !== rules) {
        this.#forget(this.#load.write());
        writeMeta(this.#load.statements.connection, CLASSIFIER_KEY, rules);
        this.#load.flush();
      }
      return this.#load.statements.connection
        .prepare<[SkillNumber], SkillNumber>(
          "SELECT number FROM skill WHERE categories = '[]' AND derived IS NULL AND number > ? ORDER BY number",
        )
        .pluck()
        .all(this.#load.loaded);
    });
  }

  /**
   * Reads skills for the classifier.
   *
   * @param model whose vector is wanted
   * @returns those that are not damaged
   */
  skillsToLabel(skills: readonly SkillNumber[], model: string): SkillToLabel[] {
    return this.#load.guard(() => {
      const { connection } = this.#load.statements;
      const rows = new SkillRows(connection, this.#load.path);
      const vector = connection.prepare<[Buffer, string], VectorRow>(`
        SELECT number, embedding, checksum FROM vector
        WHERE text_hash = ? AND model = (SELECT number FROM model WHERE id = ?)`);
      return skills.flatMap((skill) => {
        const row = rows.wholeRow(skill);
        if (row === undefined) return [];
        const { name, description } = fieldsOf(row);
        const found = vector.get(row.textHash, model);
        const isWhole = found !== undefined && isVectorWhole(found.number, found.embedding, found.checksum);
        return [{ skill, name, description, vector: isWhole ? vectorOf(found.embedding) : undefined }];
      });
    });
  }

  putLabels(skills: Iterable<LabelledSkill>): void {
    this.#load.guard(() => {
      for (const { skill, categories } of skills) {
        this.#load.write().derive(skill, { derived: JSON.stringify(categories) });
        this.#hasChanged = true;
      }
    });
  }

  /**
   * Writes what is left for the end of a load.
   *
   * @returns whether the labels are others than before the load
   */
  writeEnd(statements: WriterStatements): boolean {
    if (this.#isForgotten && this.rules !== undefined) this.#forget(statements);
    return this.#hasChanged;
  }

  #forget(statements: WriterStatements): void {
    this.#hasChanged = true;
    statements.connection.prepare('DELETE FROM meta WHERE key = ?').run(CLASSIFIER_KEY);
    statements.forgetDerived();
  }
}

function vectorOf(embedding: Buffer): Float32Array {
  const vector = new Float32Array(embedding.length / 4);
  decodeVector(embedding, vector, 0);
  return vector;
}
