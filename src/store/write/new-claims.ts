import type { SkillNumber } from '../../core/index.js';
import type { WriterStatements } from './writer-statements.js';

/** Skills that a load found in a source that did not claim them before. Claims are written when the load ends. */
export class NewClaims {
  readonly #skillsOf = new Map<string, SkillNumber[]>();

  /** Notes that a skill was found in a source. */
  note(source: string, skill: SkillNumber, stored: WriterStatements): void {
    if (stored.hasClaim.get(source, skill) !== undefined) return;
    const skills = this.#skillsOf.get(source);
    if (skills === undefined) this.#skillsOf.set(source, [skill]);
    else skills.push(skill);
  }

  /** Notes that a skill has another number: it was written again. */
  renumber(from: SkillNumber, to: SkillNumber): void {
    for (const skills of this.#skillsOf.values()) {
      const at = skills.indexOf(from);
      if (at >= 0) skills[at] = to;
    }
  }

  get isEmpty(): boolean {
    return this.#skillsOf.size === 0;
  }

  /** @returns whether a claim was added */
  write(statements: WriterStatements): boolean {
    let changed = false;
    for (const [source, skills] of this.#skillsOf) {
      statements.insertSource.run(source);
      for (const skill of skills) changed = statements.insertClaim.run(skill, source).changes > 0 || changed;
    }
    return changed;
  }
}
