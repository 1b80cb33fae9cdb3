import { expect } from 'vitest';
import {
  type BuildOptions,
  buildCatalogue,
  type Embedder,
  type LoadReport,
  openSkillSearch,
  removeSkills,
  type SkillContents,
  type SkillDetails,
  type SkillFile,
  type SkillSearch,
  type Source,
  updateSkills,
} from '../../../src/index.js';

/** Where a catalogue is, and the folder of its local copy if it has one: options of all calls of the library. */
export interface CataloguePlace {
  readonly database: string;
  readonly cache?: string;
}

/** One catalogue, as several machines get to it. */
export interface SharedPlace {
  /** For the next load: with a local copy, each is done by another machine than the one before. */
  readonly loading: () => CataloguePlace;
  /** For all searches. */
  readonly searching: CataloguePlace;
}

/** What keeps catalogues. */
export interface CatalogueStore {
  /** A place where no catalogue is yet. */
  readonly emptyPlace: () => Promise<SharedPlace>;
}

type Loading = Partial<Omit<BuildOptions, 'database' | 'sources'>>;

/** A catalogue of a store, used through the library alone. Vectors are made only where an embedder is given. */
export class CatalogueUnderTest {
  readonly place: SharedPlace;

  private constructor(place: SharedPlace) {
    this.place = place;
  }

  static async of(store: CatalogueStore): Promise<CatalogueUnderTest> {
    return new CatalogueUnderTest(await store.emptyPlace());
  }

  loadFrom(sources: readonly Source[], options: Loading = {}): Promise<LoadReport> {
    return buildCatalogue({ ...this.place.loading(), sources, ...withVectorsIf(options), ...options });
  }

  /** Loads rows of the source `rows`. */
  load(rows: Iterable<unknown>, options: Loading = {}): Promise<LoadReport> {
    return this.loadFrom([{ name: 'rows', rows }], options);
  }

  /** Loads rows of a source, and removes what it had and has no longer. */
  prune(name: string, rows: readonly unknown[], options: Loading = {}): Promise<LoadReport> {
    return this.loadFrom([{ name, rows }], { prune: true, ...options });
  }

  /** Brings a small change of the source `rows`. */
  update(rows: Iterable<unknown>, options: { readonly embedder?: Embedder } = {}): Promise<LoadReport> {
    return updateSkills({ ...this.place.loading(), rows, source: 'rows', ...withVectorsIf(options), ...options });
  }

  async remove(ids: Iterable<string>): Promise<number> {
    return removeSkills({ ...this.place.loading(), ids });
  }

  /** Opens the catalogue as it is now. */
  open(embedder?: Embedder): Promise<SkillSearch> {
    return openSkillSearch({ ...this.place.searching, embedder });
  }

  async searching<T>(ask: (search: SkillSearch) => T | Promise<T>, embedder?: Embedder): Promise<T> {
    await using search = await this.open(embedder);
    return await ask(search);
  }

  /** Sorted. */
  ids(): Promise<string[]> {
    return this.searching((search) => [...search.ids()].sort());
  }

  /** All that is told of each skill. */
  skills(): Promise<ReadonlyMap<string, SeenSkill>> {
    return this.searching(skillsIn);
  }

  descriptions(): Promise<Record<string, string | undefined>> {
    return this.searching((search) =>
      Object.fromEntries(search.ids().map((id) => [id, search.get(id)?.description] as const)),
    );
  }

  /** Names the state: it stays if nothing is written. */
  stamp(): Promise<string> {
    return this.searching((search) => search.stats().stamp);
  }

  /** Expects a call to write nothing. */
  async staysDuring<T>(call: () => Promise<T>): Promise<T> {
    const before = await this.stamp();
    const result = await call();
    expect(await this.stamp()).toBe(before);
    return result;
  }
}

function withVectorsIf({ embedder, semantic }: { readonly embedder?: unknown; readonly semantic?: unknown }) {
  return embedder === undefined && semantic === undefined ? { semantic: false } : {};
}

/** What a new catalogue of these rows holds. */
export async function skillsOfRows(store: CatalogueStore, rows: readonly unknown[]) {
  const catalogue = await CatalogueUnderTest.of(store);
  await catalogue.load(rows);
  return catalogue.skills();
}

type Counts = Pick<LoadReport, 'added' | 'updated' | 'unchanged' | 'removed'>;

export function countsOf({ added, updated, unchanged, removed }: LoadReport): Counts {
  return { added, updated, unchanged, removed };
}

export function counts(some: Partial<Counts>): Counts {
  return { added: 0, updated: 0, unchanged: 0, removed: 0, ...some };
}

/** All that a search tells of a skill. */
export interface SeenSkill {
  readonly skill: SkillDetails | undefined;
  readonly files: readonly SkillFile[];
  readonly contents: SkillContents | undefined;
  /** The bytes that it gives out, in base64, by path. */
  readonly bytes: Readonly<Record<string, string | undefined>>;
}

/** All that a search tells of each skill, sorted by id. */
export function skillsIn(search: SkillSearch): Map<string, SeenSkill> {
  return new Map([...search.ids()].sort().map((id) => [id, seen(search, id)] as const));
}

function seen(search: SkillSearch, id: string): SeenSkill {
  const contents = search.contents(id);
  const bytes = (contents?.files ?? []).map(({ path }) => {
    const found = search.read(id, path);
    return [path, found === undefined ? undefined : Buffer.from(found).toString('base64')] as const;
  });
  return { skill: search.get(id), files: search.files(id), contents, bytes: Object.fromEntries(bytes) };
}
