import type { SkillSearch } from '../src/index.js';
import type { SourceState } from './shared-sources.js';

interface Loads {
  /** What the source has after each of its loads; the first is nothing. */
  readonly states: SourceState[];
  /** The last load that has ended. */
  done: number;
}

/** What a shared catalogue may show: of each source what it has after one of its loads, and never less than before. */
export class SharedModel {
  readonly #sources: ReadonlyMap<string, Loads>;

  constructor(sources: readonly string[], nothing: SourceState) {
    this.#sources = new Map(sources.map((source) => [source, { states: [nothing], done: 0 }]));
  }

  /** What a source has after its last load. */
  last(source: string): { readonly state: SourceState; readonly load: number } {
    const { states } = this.#sources.get(source)!;
    return { state: states.at(-1)!, load: states.length - 1 };
  }

  /** A load of a source begins: from now on it may be seen. One of a source at a time. */
  begin(source: string, after: SourceState): void {
    this.#sources.get(source)!.states.push(after);
  }

  /** The load has ended: a reader who looks from now on sees it. */
  end(source: string): void {
    const loads = this.#sources.get(source)!;
    loads.done = loads.states.length - 1;
  }

  /** The last load of each source that has ended, for {@link check}. */
  done(): ReadonlyMap<string, number> {
    return new Map([...this.#sources].map(([source, { done }]) => [source, done]));
  }

  /** Number of all loads that have ended. */
  get loads(): number {
    return [...this.done().values()].reduce((sum, done) => sum + done, 0);
  }

  /**
   * Checks what a search shows.
   *
   * @param atLeast the load of each source that it must show, or a later one
   * @returns the load of each source that it shows
   * @throws Error that says what it shows and must not
   */
  check(search: SkillSearch, atLeast: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
    const marks = marksIn(search);
    const shown = new Map<string, number>();
    const shared = new Set<string>();
    for (const [source, { states }] of this.#sources) {
      const own = marks.get(source) ?? new Map<string, number>();
      const load = states.findIndex((state) => isSame(state.own, own));
      if (load < 0) throw new Error(`half a load of ${source} is seen: ${JSON.stringify([...own])}`);
      if (load < atLeast.get(source)!) throw new Error(`${source} is seen before its load ${atLeast.get(source)}`);
      shown.set(source, load);
      for (const id of states[load]!.shared) shared.add(id);
    }
    const expected = [...shared].sort().join();
    const found = search.ids().filter((id) => id.startsWith('shared-'));
    if (found.sort().join() !== expected) throw new Error(`${found.join()} are seen, and the sources have ${expected}`);
    return shown;
  }
}

/** The number of the load that wrote each skill that one source has, by source and id. */
function marksIn(search: SkillSearch): Map<string, Map<string, number>> {
  const marks = new Map<string, Map<string, number>>();
  for (const id of search.ids()) {
    const [source = '', load] = search.get(id)!.author.split(' ');
    const bytes = search.read(id, 'load.bin')!;
    if (bytes.length !== 5000 || bytes.some((byte) => byte !== Number(load) % 256)) {
      throw new Error(`${id} has files of another load`);
    }
    if (id.startsWith('shared-')) continue;
    const own = marks.get(source) ?? new Map<string, number>();
    marks.set(source, own.set(id, Number(load)));
  }
  return marks;
}

function isSame(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): boolean {
  return one.size === other.size && [...one].every(([id, load]) => other.get(id) === load);
}
