import type { SkillImage } from '../../store/index.js';
import type { RunStatement } from '../postgres/postgres-session.js';
import { distinct } from './helpers.js';

/**
 * Notes which vectors belong to a version that is being published. They belong to texts, so whatever it says of one
 * holds for all skills with that text: each of them must have changed by this version, or copies would not hear of it.
 */
export class PublishedVectors {
  readonly #run: RunStatement;
  readonly #version: number;
  readonly #isNext: boolean;

  /** @param isNext whether the changes were made from the version before, and know of all skills */
  constructor(run: RunStatement, version: number, isNext: boolean) {
    this.#run = run;
    this.#version = version;
    this.#isNext = isNext;
  }

  /**
   * Forgets those of another model: all skills that have one of this model have changed, and so have those that had
   * one.
   */
  async forgetAll(): Promise<void> {
    await this.#run({ text: 'DELETE FROM skill_discovery.published_vector' });
  }

  /** @param images that are written, and whose vectors are stored */
  async note(images: readonly SkillImage[]): Promise<void> {
    const hashesOf = (some: readonly SkillImage[]): Buffer[] => distinct(some.map(({ columns }) => columns.textHash));
    const rows = await this.#run<{ textHash: Buffer }>({
      text: `INSERT INTO skill_discovery.published_vector (text_hash) SELECT unnest($1::bytea[])
        ON CONFLICT (text_hash) DO NOTHING RETURNING text_hash AS "textHash"`,
      values: [hashesOf(images.filter(({ hasVector }) => hasVector))],
    });
    if (this.#isNext) {
      // The difference has every skill with a text that has lost its vector, or has got one.
      await this.#run({
        text: 'DELETE FROM skill_discovery.published_vector WHERE text_hash = ANY ($1)',
        values: [hashesOf(images.filter(({ hasVector }) => !hasVector))],
      });
    } else {
      // Others may have published skills with these texts, without vectors, and these changes do not know of them.
      await this.#run({
        text: 'UPDATE skill_discovery.skill SET version = $1 WHERE text_hash = ANY ($2) AND version < $1',
        values: [this.#version, rows.map(({ textHash }) => textHash)],
      });
    }
  }
}
