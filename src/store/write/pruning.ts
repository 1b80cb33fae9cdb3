import type { SkillNumber } from '../../numbers.js';
import type { WriterStatements } from './writer-statements.js';

/** Skills that are kept although a load did not bring them: their rows are there but could not be read. */
export interface Spared {
  readonly ids: ReadonlySet<string>;
  readonly locations: ReadonlySet<string>;
}

interface LapsedClaim {
  readonly source: string;
  readonly skill: SkillNumber;
  readonly id: string;
}

/** What pruning removes when a load ends: skills that are no longer in the sources that had them. */
export class Pruning {
  readonly #sources: readonly string[];
  readonly #spared: Spared;

  constructor(sources: readonly string[], spared: Spared) {
    this.#sources = sources;
    this.#spared = spared;
  }

  /** @param brought skills that the load brought */
  hasWork(stored: WriterStatements, brought: ReadonlySet<SkillNumber>): boolean {
    return this.#lapsedClaims(stored, brought).length > 0;
  }

  /**
   * Deletes claims, and skills that no other source claims.
   *
   * @returns whether a claim was deleted
   */
  write(statements: WriterStatements, brought: ReadonlySet<SkillNumber>): boolean {
    let changed = false;
    for (const { source, skill, id } of this.#lapsedClaims(statements, brought)) {
      changed = statements.deleteClaim.run(source, skill).changes > 0 || changed;
      if (statements.anyClaim.get(skill) === undefined) statements.remove(id);
    }
    return changed;
  }

  #lapsedClaims(stored: WriterStatements, brought: ReadonlySet<SkillNumber>): LapsedClaim[] {
    const spared = this.#spared;
    return [...new Set(this.#sources)].flatMap((source) =>
      stored.claimedBy
        .all(source)
        .filter(({ number, id, location }) => {
          return !brought.has(number) && !spared.ids.has(id) && !spared.locations.has(location);
        })
        .map(({ number, id }) => ({ source, skill: number, id })),
    );
  }
}
