import type { SkillNumber } from '../../core/index.js';
import type { SkillFolder } from '../../skill.js';
import type { PackedBlob } from '../packing.js';
import { FOLDER_PLACES, originOf, type Place, type PlaceWriter, readPlace, withoutMark } from '../places.js';
import type { SkillToStore } from '../stored-skill.js';
import type { OpenLoad } from './open-load.js';
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
   * Deletes claims, and skills that no other source claims.
   *
   * @returns whether a claim was deleted
   */
  write(statements: WriterStatements, brought: ReadonlySet<SkillNumber>): boolean {
    let changed = false;
    for (const { source, skill, id } of this.lapsedClaims(statements, brought)) {
      changed = statements.deleteClaim.run(source, skill).changes > 0 || changed;
      if (statements.anyClaim.get(skill) === undefined) statements.remove(id);
    }
    return changed;
  }

  /**
   * The claims that would be deleted.
   *
   * @param brought skills that the load brought
   */
  lapsedClaims(stored: WriterStatements, brought: ReadonlySet<SkillNumber>): LapsedClaim[] {
    return [...new Set(this.#sources)].flatMap((source) =>
      stored.claimedBy.all(source).flatMap(({ number: skill, id, place }) => {
        const isKept = brought.has(skill) || this.#sparedIds.has(id) || !this.#isMeant(place) || this.#isSpared(place);
        return isKept ? [] : [{ source, skill, id }];
      }),
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

/** What the id of a skill without a git remote can be; see {@link FolderIds}. */
export interface FolderIdWish {
  /** The id that it gets if no other origin has it: the slug of the location, with a hash if the slug is lossy. */
  readonly plain: string;
  /** Makes an id of the slug and a hash of the origin. */
  readonly withHash: (hash: string) => string;
}

/**
 * Chooses the ids of skills whose origin is a folder of this machine. A skill that is stored keeps its id, whichever
 * source it is reached through. A new one gets an id that no other origin has.
 */
export class FolderIds {
  readonly #load: Pick<OpenLoad, 'base' | 'statements'>;
  readonly #places: PlaceWriter;
  /** Ids by the hash of the absolute path, and by the path from the catalogue. An entry may be outdated. */
  readonly #noted = new Map<string, string>();
  /** What was there before the load. Not read before it is needed, since that means reading every skill. */
  #stored: Map<string, string> | undefined;

  constructor(load: Pick<OpenLoad, 'base' | 'statements'>, places: PlaceWriter) {
    this.#load = load;
    this.#places = places;
  }

  choose({ plain, withHash }: FolderIdWish, folder: SkillFolder): string {
    const origin = originOf(folder);
    const path = this.#places.pathOf(folder);
    const isSame = (place: Place): boolean =>
      place.origin !== undefined && (place.origin === origin || place.path === path);
    const isOurs = (id: string): boolean => {
      const place = this.#load.statements.placeOf.get(id);
      return place !== undefined && isSame(readPlace(place));
    };
    const own = withHash(origin.slice(0, 8));
    const kept = [plain, own].find(isOurs);
    if (kept !== undefined) return kept;

    this.#stored ??= this.#readStored();
    const known = [this.#noted, this.#stored]
      .flatMap((ids) => [ids.get(origin), ids.get(path)])
      .find((id) => id !== undefined && isOurs(id));
    if (known !== undefined) return known;
    const isFree = (id: string): boolean => this.#load.statements.placeOf.get(id) === undefined;
    return [plain, own].find(isFree) ?? withHash(origin);
  }

  /** Notes that a skill with this id was stored. */
  note(id: string, folder: SkillFolder): void {
    if (folder.isOrigin) this.#noted.set(originOf(folder), id).set(this.#places.pathOf(folder), id);
  }

  #readStored(): Map<string, string> {
    const stored = new Map<string, string>();
    for (const [id, place] of this.#load.base?.folderPlaces.all(...FOLDER_PLACES) ?? []) {
      const { origin, path } = readPlace(place);
      if (origin !== undefined && path !== undefined) stored.set(origin, id).set(path, id);
    }
    return stored;
  }
}

/** Where a load puts its skills. */
export interface SkillSink {
  /**
   * Chooses the id of a skill that brings none: the slug of its location, or the slug with a hash if a skill at another
   * location already has the slug.
   */
  chooseId(location: string, slug: string, slugWithHash: string): string;
  /**
   * Chooses the id of a skill whose origin is a folder; see `FolderIds`. Absent if the sink takes no folders.
   *
   * @param source name of the source it was found in
   */
  chooseFolderId?(wish: FolderIdWish, folder: SkillFolder): string;
  /**
   * Stores a skill, unless it is stored already.
   *
   * @param source name of the source it was found in
   * @param fingerprint of the row, if the skill depends on the row alone
   * @param blobs bytes of the skill's contents that the sink lacks; see {@link lacksBlob}
   * @returns `again` if this load has brought the same id before
   */
  put(item: SkillToStore, source: string, fingerprint?: string, blobs?: readonly PackedBlob[]): 'stored' | 'again';
  /** Whether bytes with this SHA-256 (in hexadecimal digits) must come with a skill that has them. */
  lacksBlob(sha256: string): boolean;
  /**
   * Notes that the load brought a row that is known to be stored.
   *
   * @returns its id if this load has brought it before
   */
  putKnown?(fingerprint: string, source: string): string | undefined;
}

/**
 * The id of a skill that brings none; see {@link SkillSink.chooseId}.
 *
 * @param locationOf the location of the skill that has an id; undefined if no skill has it
 */
export function chooseId(
  locationOf: (id: string) => string | undefined,
  location: string,
  slug: string,
  slugWithHash: string,
): string {
  const owner = locationOf(slug);
  if (owner === location) return slug;
  if (owner !== undefined) return slugWithHash;
  return locationOf(slugWithHash) === location ? slugWithHash : slug;
}
