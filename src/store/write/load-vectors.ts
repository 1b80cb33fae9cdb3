import type { SkillNumber } from '../../core/index.js';
import type { DamagedSkills } from './damaged-skills.js';
import type { EmbeddedText, EmbeddingSink, TextToEmbed } from './embedding-sink.js';
import { OpenChange } from './open-change.js';
import type { OpenLoad } from './open-load.js';
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
    const from = this.#load instanceof OpenChange ? this.#load.loaded : 0;
    return vectors.missing(this.#chosenModel(), from).filter((skill) => this.#damaged?.has(skill) !== true);
  }

  #chosenModel(): string {
    if (this.#model === undefined) throw new Error('useModel() must be called first');
    return this.#model;
  }
}
