import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type FollowedSearch, followCatalogue, openSkillSearch, type SkillSearch } from '../../src/index.js';
import { PostgresCluster, programs } from '../../test/share/postgres/postgres-cluster.js';
import { ChildProgram } from '../child-program.js';
import { wholeFile } from '../loads.js';
import { oneOf, randomInteger, type Trial } from '../trial.js';

export const SHARED_LOADS: Trial = {
  name: 'shared-loads',
  promise:
    'However many machines load one catalogue in PostgreSQL and are killed, every server shows whole loads only, none is lost, and no vector is made again.',
  missing: () => (programs === undefined ? 'no PostgreSQL' : undefined),
  begin: async ({ random, folder }) => {
    const cluster = await PostgresCluster.make();
    const facts = { loads: 0, kills: 0, 'states seen': 0 };
    const attempt = async (number: number): Promise<undefined> => {
      if (number === 0) await cluster.start();
      const caches = join(folder, String(number));
      mkdirSync(caches);
      const race = { database: await cluster.database(), folder: caches, random, loads: 10 };
      const raced = await raceSharedLoads(race);
      rmSync(caches, { recursive: true });
      facts.loads += race.loads;
      facts.kills += raced.kills;
      facts['states seen'] += raced.seen;
    };
    return { facts, attempt, end: () => cluster.remove() };
  },
};

/** A race of machines that load one catalogue in PostgreSQL. */
interface SharedRace {
  /** The address of an empty database. */
  readonly database: string;
  /** An empty folder, for the caches of all machines. */
  readonly folder: string;
  readonly random: () => number;
  /** How many loads the machines do together. */
  readonly loads: number;
}

const MACHINES = 3;
const SOURCES = ['red', 'green', 'blue', 'grey'];
/** One load in so many is killed, at any moment of its usual time in milliseconds. */
const KILLED = 4;
const USUAL = 1500;

/**
 * Machines with caches of their own load sources at once, some of whose skills others have as well. They prune, and are
 * killed. Servers that follow the catalogue show at all times of each source what it had after one of its loads.
 *
 * @returns how often machines were killed, and how many states a server has shown
 * @throws Error that says what was seen and must not be
 */
async function raceSharedLoads(race: SharedRace): Promise<{ readonly kills: number; readonly seen: number }> {
  const { database, folder } = race;
  const machines = Array.from({ length: MACHINES }, (_, i) => new Machine(database, join(folder, `machine-${i}`)));
  const servers: Server[] = [];
  const model = new SharedModel(SOURCES, NOTHING);
  const loads = new RacingLoads(race, model);
  try {
    await loads.next(machines[0]!);
    servers.push(await Server.start(database, join(folder, 'server-0'), model));
    const all = Promise.all(machines.map((machine) => loads.untilNoneIsLeft(machine)));
    // It may take any state for its first one.
    servers.push(await Server.start(database, join(folder, 'server-1'), model));
    await all;
    await checkEnd(race, model, { servers, kills: loads.kills });
    return { kills: loads.kills, seen: servers[0]!.seen };
  } finally {
    for (const machine of machines) machine.end();
    for (const server of servers) await server.close();
  }
}

/**
 * All have the last state, and answer the same byte for byte. There are as many versions as there were loads; one that
 * was killed when it was published already may make another, because others have changed the same skills meanwhile.
 */
async function checkEnd(
  { database, folder }: SharedRace,
  model: SharedModel,
  { servers, kills }: { readonly servers: readonly Server[]; readonly kills: number },
): Promise<void> {
  await using unseen = await openSkillSearch({ database, cache: join(folder, 'unseen') });
  const searches = [unseen, ...servers.map(({ search }) => search)];
  for (const { search } of servers) await search.reload();
  for (const server of servers) server.stop();
  const answers = searches.map((search) => {
    model.check(search, model.done());
    const { stamp, copy } = search.stats();
    const version = copy?.version ?? 0;
    if (version < model.loads || version > model.loads + kills) {
      throw new Error(`version ${version} after ${model.loads} loads and ${kills} kills`);
    }
    const found = ['notes', 'release charts', 'stra', '"birds and"'].map((q) => search.keyword({ q, limit: 50 }));
    return JSON.stringify([stamp, found, search.list({ limit: 50 }), search.authors()]);
  });
  if (new Set(answers).size > 1) throw new Error('two servers of one version answer differently');
}

/** What the machines have to do. */
class RacingLoads {
  readonly #race: SharedRace;
  readonly #model: SharedModel;
  readonly #free = new Set(SOURCES);
  /** By source: texts of the skills that no other source has, as its last load wrote them. Their vectors are there. */
  readonly #there = new Map<string, ReadonlySet<string>>();
  /** All or none: one that does makes what others have left out, also if it was done already when it was killed. */
  readonly #embeds: boolean;
  #left: number;
  kills = 0;

  constructor(race: SharedRace, model: SharedModel) {
    this.#race = race;
    this.#model = model;
    this.#left = race.loads;
    this.#embeds = randomInteger(race.random, 3) > 0;
  }

  async untilNoneIsLeft(machine: Machine): Promise<void> {
    while (this.#left > 0) await this.next(machine);
  }

  /** Has a machine do one load of a source that no other machine is loading, as often as it is killed. */
  async next(machine: Machine): Promise<void> {
    this.#left -= 1;
    const { random } = this.#race;
    const source = oneOf(random, [...this.#free]);
    this.#free.delete(source);
    const { state, load } = this.#model.last(source);
    const rows = sharedRows(random, source, load + 1);
    const order = { source, rows, prune: randomInteger(random, 3) > 0, embeds: this.#embeds };
    this.#model.begin(source, stateAfter(state, order, load + 1));
    const before = this.#there.get(source);
    let done: Done | undefined;
    while (done === undefined) {
      const isKilled = load > 0 && randomInteger(random, KILLED) === 0;
      done = await machine.load(order, isKilled ? randomInteger(random, USUAL) : undefined);
      if (done === undefined) this.kills += 1;
    }
    const { embedded, problems } = done;
    if (problems.length > 0) throw new Error(`load ${load + 1} of ${source}: ${problems.join('; ')}`);
    const again = embedded.filter((text, i) => before?.has(text) || embedded.indexOf(text) < i);
    if (again.length > 0) throw new Error(`vectors are made again, of ${again.join('; ')}`);
    const own = rows.filter(({ id }) => !id.startsWith('shared-'));
    this.#there.set(source, new Set(own.map(({ name, description }) => `${name}. ${description}`)));
    this.#model.end(source);
    this.#free.add(source);
  }
}

class Machine {
  readonly #args: readonly string[];
  #program: ChildProgram;

  constructor(database: string, cache: string) {
    this.#args = [database, cache];
    this.#program = new ChildProgram('loading-machine', this.#args);
  }

  /** @returns undefined if the machine was killed after so many milliseconds; it is there again then */
  async load(order: Order, killAfter: number | undefined): Promise<Done | undefined> {
    let isKilled = false;
    const kill = (): void => {
      isKilled = true;
      this.#program.end();
    };
    await this.#program.ready;
    const timer = killAfter === undefined ? undefined : setTimeout(kill, killAfter);
    try {
      return await this.#program.ask<Done>(order);
    } catch (error) {
      if (!isKilled) throw error;
      this.#program = new ChildProgram('loading-machine', this.#args);
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  end(): void {
    this.#program.end();
  }
}

/** A server, which checks every state that it shows. */
class Server {
  readonly search: FollowedSearch;
  readonly #model: SharedModel;
  readonly #looking: NodeJS.Timeout;
  #shown: ReadonlyMap<string, number>;
  #stamp = '';
  #version = 0;
  #fault: unknown;
  seen = 0;

  private constructor(search: FollowedSearch, model: SharedModel) {
    this.search = search;
    this.#model = model;
    this.#shown = new Map(SOURCES.map((source) => [source, 0]));
    this.#looking = setInterval(() => this.#look(), 10);
  }

  static async start(database: string, cache: string, model: SharedModel): Promise<Server> {
    return new Server(await followCatalogue({ database, cache, interval: 20, snapshotInterval: 100 }), model);
  }

  #look(): void {
    const { stamp, copy } = this.search.stats();
    if (stamp === this.#stamp || this.#fault !== undefined) return;
    try {
      const version = copy?.version ?? 0;
      if (version <= this.#version) throw new Error(`version ${version} is shown after ${this.#version}`);
      this.#shown = this.#model.check(this.search, this.#shown);
      [this.#stamp, this.#version] = [stamp, version];
      this.seen += 1;
    } catch (error) {
      this.#fault = error;
    }
  }

  /** @throws Error that says what the server has shown and must not */
  stop(): void {
    clearInterval(this.#looking);
    if (this.#fault !== undefined) throw this.#fault;
  }

  async close(): Promise<void> {
    clearInterval(this.#looking);
    await this.search.close();
  }
}

interface Loads {
  /** What the source has after each of its loads; the first is nothing. */
  readonly states: SourceState[];
  /** The last load that has ended. */
  done: number;
}

/** What a shared catalogue may show: of each source what it has after one of its loads, and never less than before. */
class SharedModel {
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

/** One load, as a machine is told to do it. */
export interface Order {
  readonly source: string;
  readonly rows: readonly SharedRow[];
  readonly prune: boolean;
  readonly embeds: boolean;
}

/** What a machine says of a load: the texts that it embedded, and what went wrong. */
export interface Done {
  readonly embedded: readonly string[];
  readonly problems: readonly string[];
}

/** A row that says by its author which load of which source brought it. */
interface SharedRow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly author: string;
  readonly files: readonly object[];
}

/** What a source has after one of its loads. */
interface SourceState {
  /** The number of the load that wrote each skill that no other source has, by id. */
  readonly own: ReadonlyMap<string, number>;
  /** The other skills that it has. */
  readonly shared: ReadonlySet<string>;
}

const NOTHING: SourceState = { own: new Map(), shared: new Set() };

const WORDS = ['release', 'notes', 'tests', 'charts', 'forms', 'tables', 'birds', 'stars'];

/** The rows of one load. Few texts, so that many loads bring one that has a vector already. */
function sharedRows(random: () => number, source: string, load: number): SharedRow[] {
  const row = (id: string): SharedRow => ({
    id,
    name: oneOf(random, WORDS),
    description: `${oneOf(random, WORDS)} and ${oneOf(random, WORDS)}`,
    author: markOf(source, load),
    files: [wholeFile('SKILL.md', Buffer.from(`# ${source}`)), wholeFile('load.bin', Buffer.alloc(5000, load))],
  });
  const own = Array.from({ length: 8 }, (_, i) => `${source}-${i}`);
  const shared = Array.from({ length: 6 }, (_, i) => `shared-${i}`);
  // Each load has the first one, which tells it from all others.
  const some = (ids: readonly string[]): string[] => ids.filter(() => randomInteger(random, 2) === 0);
  return [own[0]!, ...some(own.slice(1)), ...some(shared)].map(row);
}

function markOf(source: string, load: number): string {
  return `${source} ${load}`;
}

/** What a source has after one more load. */
function stateAfter(before: SourceState, { rows, prune }: Order, load: number): SourceState {
  const [own, shared] = prune
    ? [new Map<string, number>(), new Set<string>()]
    : [new Map(before.own), new Set(before.shared)];
  for (const { id } of rows) {
    if (id.startsWith('shared-')) shared.add(id);
    else own.set(id, load);
  }
  return { own, shared };
}
