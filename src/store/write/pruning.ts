import type { SkillNumber } from '../../core/index.js';
import { type PlaceWriter, readPlace, type SkillFolder, withoutMark } from '../place.js';
import type { WriterStatements } from './writer-statements.js';

/** Skills that are kept although a load did not bring them: their rows are there but could not be read. */
export interface Spared {
  readonly ids?: ReadonlySet<string>;
  readonly places?: readonly SparedPlace[];
  /** Absolute paths, without symbolic links: skills in these folders, or below them. */
  readonly folders?: Iterable<string>;
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
  /** Paths of folders from that of the catalogue. */
  readonly #sparedFolders: readonly string[];
  /** Paths of folders from that of the catalogue: only skills in them are pruned. None: all. */
  readonly #folders: readonly string[];

  /** @param folders only skills that were read from these folders, or from below them; none: from anywhere */
  constructor(
    sources: readonly string[],
    { ids = new Set(), places = [], folders: sparedFolders = [] }: Spared,
    writer: PlaceWriter,
    folders: readonly string[] = [],
  ) {
    const pathOf = (path: string): string => writer.pathOf({ path, isOrigin: false });
    this.#folders = folders.map(pathOf);
    this.#sparedFolders = [...sparedFolders].map(pathOf);
    this.#sources = sources;
    this.#sparedIds = ids;
    this.#sparedLocations = new Set(places.map(({ location }) => withoutMark(location)));
    this.#sparedPaths = new Set(places.flatMap(({ folder }) => (folder === undefined ? [] : writer.pathOf(folder))));
  }

  /**
   * How many claims would be deleted.
   *
   * @param brought skills that the load brought
   */
  count(stored: WriterStatements, brought: ReadonlySet<SkillNumber>): number {
    return this.#lapsedClaims(stored, brought).length;
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
        .filter(
          ({ number, id, place }) =>
            !brought.has(number) && !this.#sparedIds.has(id) && this.#isMeant(place) && !this.#isSpared(place),
        )
        .map(({ number, id }) => ({ source, skill: number, id })),
    );
  }

  #isMeant(place: string): boolean {
    if (this.#folders.length === 0) return true;
    const { path } = readPlace(place);
    return path !== undefined && liesIn(path, this.#folders);
  }

  #isSpared(place: string): boolean {
    const { location, path } = readPlace(place);
    if (location !== '' && this.#sparedLocations.has(location)) return true;
    return path !== undefined && (this.#sparedPaths.has(path) || liesIn(path, this.#sparedFolders));
  }
}

/** Whether a path is one of these folders, or inside one. */
function liesIn(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}
