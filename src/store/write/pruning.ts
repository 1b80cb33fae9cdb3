import type { SkillNumber } from '../../numbers.js';
import { type PlaceWriter, readPlace, type SkillFolder, withoutMark } from '../place.js';
import type { WriterStatements } from './writer-statements.js';

/** Skills that are kept although a load did not bring them: their rows are there but could not be read. */
export interface Spared {
  readonly ids: ReadonlySet<string>;
  readonly places: readonly SparedPlace[];
}

/** Where a skill is kept although a load did not bring it. */
export interface SparedPlace {
  readonly location: string;
  /** Its folder, if it was read from one. */
  readonly folder?: SkillFolder | undefined;
}

interface LapsedClaim {
  readonly source: string;
  readonly skill: SkillNumber;
  readonly id: string;
}

/** What pruning removes when a load ends: skills that are no longer in the sources that had them. */
export class Pruning {
  readonly #sources: readonly string[];
  readonly #sparedIds: ReadonlySet<string>;
  readonly #sparedLocations: ReadonlySet<string>;
  readonly #sparedPaths: ReadonlySet<string>;

  constructor(sources: readonly string[], { ids, places }: Spared, writer: PlaceWriter) {
    this.#sources = sources;
    this.#sparedIds = ids;
    this.#sparedLocations = new Set(places.map(({ location }) => withoutMark(location)));
    this.#sparedPaths = new Set(places.flatMap(({ folder }) => (folder === undefined ? [] : writer.pathOf(folder))));
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
    return [...new Set(this.#sources)].flatMap((source) =>
      stored.claimedBy
        .all(source)
        .filter(({ number, id, place }) => !brought.has(number) && !this.#sparedIds.has(id) && !this.#isSpared(place))
        .map(({ number, id }) => ({ source, skill: number, id })),
    );
  }

  #isSpared(place: string): boolean {
    const { location, path } = readPlace(place);
    if (location !== '' && this.#sparedLocations.has(location)) return true;
    return path !== undefined && this.#sparedPaths.has(path);
  }
}
