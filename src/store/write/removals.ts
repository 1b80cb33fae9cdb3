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

/** What goes when a load ends: skills removed by id, and skills that are no longer in the sources that had them. */
export class Removals {
  readonly #ids: string[] = [];
  #pruned: { readonly sources: readonly string[]; readonly spared: Spared } | undefined;

  /** Removes a skill, whoever claims it. */
  add(id: string): void {
    this.#ids.push(id);
  }

  /** Removes what these sources claim and the load does not bring. A skill that another source claims stays. */
  prune(sources: readonly string[], spared: Spared): void {
    this.#pruned = { sources, spared };
  }

  /** @param brought skills that the load brought */
  hasWork(stored: WriterStatements, brought: ReadonlySet<SkillNumber>): boolean {
    return this.#ids.some((id) => stored.find.get(id) !== undefined) || this.#lapsedClaims(stored, brought).length > 0;
  }

  /** @returns whether a claim was deleted */
  write(statements: WriterStatements, brought: ReadonlySet<SkillNumber>): boolean {
    let claimsChanged = false;
    for (const { source, skill, id } of this.#lapsedClaims(statements, brought)) {
      claimsChanged = statements.deleteClaim.run(source, skill).changes > 0 || claimsChanged;
      if (statements.anyClaim.get(skill) === undefined) statements.remove(id);
    }
    for (const id of this.#ids) statements.remove(id);
    return claimsChanged;
  }

  #lapsedClaims(stored: WriterStatements, brought: ReadonlySet<SkillNumber>): LapsedClaim[] {
    if (this.#pruned === undefined) return [];
    const { sources, spared } = this.#pruned;
    return [...new Set(sources)].flatMap((source) =>
      stored.claimedBy
        .all(source)
        .filter(({ number, id, location }) => {
          return !brought.has(number) && !spared.ids.has(id) && !spared.locations.has(location);
        })
        .map(({ number, id }) => ({ source, skill: number, id })),
    );
  }
}
