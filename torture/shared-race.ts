import { join } from 'node:path';
import { type FollowedSearch, followCatalogue, openSkillSearch } from '../src/index.js';
import { ChildProgram } from './child-program.js';
import { oneOf, randomInteger } from './random.js';
import { SharedModel } from './shared-model.js';
import { type Done, NOTHING, type Order, sharedRows, stateAfter } from './shared-sources.js';

/** A race of machines that load one catalogue in PostgreSQL. */
export interface SharedRace {
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
export async function raceSharedLoads(race: SharedRace): Promise<{ readonly kills: number; readonly seen: number }> {
  const { database, folder } = race;
  const machines = Array.from({ length: MACHINES }, (_, i) => new Machine(database, join(folder, `machine-${i}`)));
  const servers: Server[] = [];
  const model = new SharedModel(SOURCES, NOTHING);
  const loads = new Loads(race, model);
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
class Loads {
  readonly #race: SharedRace;
  readonly #model: SharedModel;
  readonly #free = new Set(SOURCES);
  /** Texts whose vectors are there by now. */
  readonly #embedded = new Set<string>();
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
    const before = new Set(this.#embedded);
    let done: Done | undefined;
    while (done === undefined) {
      const isKilled = load > 0 && randomInteger(random, KILLED) === 0;
      done = await machine.load(order, isKilled ? randomInteger(random, USUAL) : undefined);
      if (done === undefined) this.kills += 1;
    }
    const { embedded, problems } = done;
    if (problems.length > 0) throw new Error(`load ${load + 1} of ${source}: ${problems.join('; ')}`);
    const again = embedded.filter((text, i) => before.has(text) || embedded.indexOf(text) < i);
    if (again.length > 0) throw new Error(`vectors are made again, of ${again.join('; ')}`);
    for (const text of embedded) this.#embedded.add(text);
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
