import { originOf, type Place, type PlaceWriter, readPlace, type SkillFolder } from '../place.js';

/** What the id of a skill without a git remote can be; see {@link FolderIds}. */
export interface FolderIdWish {
  /** The id that it gets if no other origin has it: the slug of the location, with a hash if the slug is lossy. */
  readonly plain: string;
  /** Makes an id of the slug and a hash of the origin. */
  readonly withHash: (hash: string) => string;
}

/** What is known of the skills that have ids already. */
export interface TakenIds {
  /** The place of the skill that has an id; undefined if no skill has it. */
  placeOf(id: string): string | undefined;
  /** All places whose origin is a folder, as they were before this load. */
  folderPlaces(): Iterable<readonly [id: string, place: string]>;
}

/**
 * Chooses the ids of skills whose origin is a folder of this machine. A skill that is stored keeps its id, whichever
 * source it is reached through. A new one gets an id that no other origin has.
 */
export class FolderIds {
  readonly #taken: TakenIds;
  readonly #places: PlaceWriter;
  readonly #noted = new FolderMap();
  /** What was there before the load. Not read before it is needed, since that means reading every skill. */
  #stored: FolderMap | undefined;

  constructor(taken: TakenIds, places: PlaceWriter) {
    this.#taken = taken;
    this.#places = places;
  }

  choose({ plain, withHash }: FolderIdWish, folder: SkillFolder): string {
    const origin = originOf(folder);
    const path = this.#places.pathOf(folder);
    const isSame = (place: Place): boolean =>
      place.origin !== undefined && (place.origin === origin || place.path === path);
    const isOurs = (id: string): boolean => {
      const place = this.#taken.placeOf(id);
      return place !== undefined && isSame(readPlace(place));
    };
    const own = withHash(origin.slice(0, 8));
    const kept = [plain, own].find(isOurs);
    if (kept !== undefined) return kept;

    this.#stored ??= this.#readStored();
    const known = [...this.#noted.find(origin, path), ...this.#stored.find(origin, path)].find(isOurs);
    if (known !== undefined) return known;
    const isFree = (id: string): boolean => this.#taken.placeOf(id) === undefined;
    return [plain, own].find(isFree) ?? withHash(origin);
  }

  /** Notes that a skill with this id was stored. */
  note(id: string, folder: SkillFolder): void {
    if (folder.isOrigin) this.#noted.set(originOf(folder), this.#places.pathOf(folder), id);
  }

  #readStored(): FolderMap {
    const stored = new FolderMap();
    for (const [id, place] of this.#taken.folderPlaces()) {
      const { origin, path } = readPlace(place);
      if (origin !== undefined && path !== undefined) stored.set(origin, path, id);
    }
    return stored;
  }
}

/** Ids by the hash of the absolute path, and by the path from the catalogue. An entry may be outdated. */
class FolderMap {
  readonly #byOrigin = new Map<string, string>();
  readonly #byPath = new Map<string, string>();

  set(origin: string, path: string, id: string): void {
    this.#byOrigin.set(origin, id);
    this.#byPath.set(path, id);
  }

  find(origin: string, path: string): string[] {
    return [this.#byOrigin.get(origin), this.#byPath.get(path)].filter((id) => id !== undefined);
  }
}
