import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_CHANGED_IN_PLACE } from '../../../src/core/index.js';
import { buildCatalogue, openSkillSearch, removeSkills, updateSkills } from '../../../src/index.js';
import { revisionIn } from '../../../src/share/shared-catalogue/replica.js';
import type { SharedStore } from '../../../src/share/shared-catalogue/shared-store.js';
import { encodeVector } from '../../../src/store/read/stored-vectors.js';
import { Database } from '../../../src/store/sqlite.js';
import type { CataloguePlace } from '../../load/contract/catalogue-under-test.js';
import { type Row, row } from '../../rows.js';
import { scratchFolder } from '../../scratch-folder.js';
import { StandInEmbedder } from '../../semantic/stand-in-embedder.js';
import { describeWithPostgres } from '../postgres/describe-with-postgres.js';
import type { PostgresServer } from '../postgres/postgres-cluster.js';
import { openStore } from './open-store.js';

const EMBEDDER = new StandInEmbedder();
const MODEL = { id: EMBEDDER.model, dimensions: 48 };

/** Few skills of few texts, so that many share one, and a text goes and comes back. */
const IDS = ['a', 'b', 'c', 'd'] as const;
const TEXTS = ['Writes tests.', 'Moves data.', 'Draws charts.'] as const;

/** What a machine does, if it can. */
type Step =
  | { readonly call: 'load' | 'update'; readonly rows: readonly Row[]; readonly model: Model; readonly machine: number }
  | { readonly call: 'remove'; readonly ids: readonly string[]; readonly machine: number }
  | { readonly call: 'offer'; readonly text: string }
  | { readonly call: 'clean' }
  /** A machine of which nobody has heard for a while comes back. */
  | { readonly call: 'look' };

/** Whether a load makes vectors, and with which model. */
type Model = 'none' | 'usual' | 'another';

const machine = fc.nat(1);
const rows = fc.uniqueArray(
  fc
    .record({ id: fc.constantFrom(...IDS), description: fc.constantFrom(...TEXTS), stars: fc.nat(1) })
    .map(({ id, ...more }) => row(id, { name: 'skill', ...more })),
  { selector: ({ id }) => id, minLength: 1, maxLength: 3 },
);
const model = fc.constantFrom<Model[]>('none', 'none', 'none', 'usual', 'usual', 'another');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ call: fc.constant('load' as const), rows, model, machine }) },
  { weight: 4, arbitrary: fc.record({ call: fc.constant('update' as const), rows, model, machine }) },
  { weight: 2, arbitrary: fc.record({ call: fc.constant('remove' as const), ids: fc.subarray([...IDS]), machine }) },
  { weight: 1, arbitrary: fc.record({ call: fc.constant('offer' as const), text: fc.constantFrom(...TEXTS) }) },
  { weight: 1, arbitrary: fc.constant({ call: 'clean' as const }) },
  { weight: 1, arbitrary: fc.constant({ call: 'look' as const }) },
);

describeWithPostgres('copies of one version', (server) => {
  test('have vectors of the same skills, however each came to it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
        const trial = await Trial.begin(server);
        for (const one of steps) await trial.take(one);
        await trial.expectSame([...trial.machines, trial.follower, trial.late]);
      }),
      { numRuns: 8, interruptAfterTimeLimit: 60_000 },
    );
  }, 180_000);

  test('do not have the vector that a load has only offered', async () => {
    const trial = await Trial.begin(server);
    await trial.take({ call: 'load', rows: [row('a')], model: 'usual', machine: 0 });
    await trial.take({ call: 'load', rows: [row('a'), row('b')], model: 'none', machine: 0 });
    await trial.look(trial.follower);
    await trial.offer('b', 'description of b');
    await trial.expectSame([trial.follower, trial.machines[0]!]);
    expect((await trial.seen(trial.follower)).withVector).toEqual(['a']);
    // The next load that changes the skill takes it.
    await trial.take({ call: 'update', rows: [row('b', { stars: 1 })], model: 'none', machine: 1 });
    await trial.expectSame([trial.follower, ...trial.machines]);
    expect((await trial.seen(trial.follower)).withVector).toEqual(['a', 'b']);
  });

  test('have the vector of a text for all skills that have it, whichever load brought it', async () => {
    for (const [first, second] of [
      ['none', 'usual'],
      ['usual', 'none'],
    ] as const) {
      const trial = await Trial.begin(server);
      const skill = (id: string): Row => row(id, { name: 'the same', description: 'text' });
      await trial.take({ call: 'load', rows: [row('z')], model: 'usual', machine: 0 });
      await trial.look(trial.late);
      // The second is published while the first is made, so that neither knows of the other.
      const [one, other] = trial.machines;
      await trial.load(
        one!,
        'one',
        meanwhile([skill('a')], () => trial.load(other!, 'other', [skill('b')], second)),
        first,
      );
      await trial.look(trial.follower);
      expect((await trial.seen(trial.follower)).withVector).toEqual(['a', 'b', 'z']);
      // Who brought it goes away again.
      await trial.take({ call: 'remove', ids: [first === 'usual' ? 'a' : 'b'], machine: 0 });
      await trial.expectSame([...trial.machines, trial.follower, trial.late]);
      expect((await trial.seen(trial.late)).withVector).toHaveLength(2);
    }
  });

  test('agree on a text that went and comes back without its vector', async () => {
    for (const isCleaned of [false, true]) {
      const trial = await Trial.begin(server);
      await trial.take({ call: 'load', rows: [row('a'), row('b')], model: 'usual', machine: 0 });
      await trial.look(trial.follower);
      await trial.take({ call: 'remove', ids: ['a'], machine: 0 });
      await trial.look(trial.follower);
      if (isCleaned) await trial.take({ call: 'clean' });
      await trial.take({ call: 'update', rows: [row('a')], model: 'none', machine: 1 });
      await trial.expectSame([...trial.machines, trial.follower]);
    }
  });

  test('agree after a change of more skills than are changed in place', async () => {
    const trial = await Trial.begin(server);
    const many = (count: number, stars: number): Row[] =>
      Array.from({ length: count }, (_, i) => row(`skill-${i}`, { stars, description: TEXTS[i % 3]! }));
    await trial.take({ call: 'load', rows: many(20, 0), model: 'usual', machine: 0 });
    await trial.look(trial.follower);
    await trial.take({ call: 'load', rows: many(MAX_CHANGED_IN_PLACE + 50, 1), model: 'none', machine: 0 });
    await trial.expectSame([trial.machines[0]!, trial.follower]);
    expect((await trial.seen(trial.follower)).withVector).toHaveLength(20);
  });
});

/** A catalogue in PostgreSQL, and machines with copies of it. */
class Trial {
  /** These load, by turns. */
  readonly machines: readonly CataloguePlace[] = [];
  /** Looks after each load. */
  readonly follower: CataloguePlace;
  /** Looks now and then. */
  readonly late: CataloguePlace;
  readonly #server: PostgresServer;
  readonly #database: string;
  readonly #store: SharedStore;

  private constructor(server: PostgresServer, database: string, store: SharedStore) {
    this.#server = server;
    this.#database = database;
    this.#store = store;
    this.machines = [this.#machine(), this.#machine()];
    [this.follower, this.late] = [this.#machine(), this.#machine()];
  }

  static async begin(server: PostgresServer): Promise<Trial> {
    const database = await server.database();
    return new Trial(server, database, await openStore(database));
  }

  async take(step: Step): Promise<void> {
    if (step.call === 'offer') return this.offer('skill', step.text);
    if (step.call === 'clean') {
      await this.#server.execute(
        this.#database,
        `UPDATE skill_discovery.vector SET made_at = now() - interval '8 days';
         UPDATE skill_discovery.catalogue SET cleaned_at = now() - interval '25 hours'`,
      );
      return;
    }
    if (step.call === 'look') return this.look(this.late);
    const place = this.machines[step.machine]!;
    if (step.call === 'remove') {
      await Promise.resolve(removeSkills({ ...place, ids: step.ids })).catch(orNothing);
    } else if (step.call === 'load') await this.load(place, 'rows', step.rows, step.model);
    else {
      const options = { ...place, rows: step.rows, ...withModel(step.model) };
      await updateSkills(options).catch(orNothing);
    }
    await this.look(this.follower);
  }

  async load(
    place: CataloguePlace,
    name: string,
    rows: Iterable<unknown> | AsyncIterable<unknown>,
    model: Model,
  ): Promise<void> {
    await buildCatalogue({ ...place, sources: [{ name, rows }], prune: true, ...withModel(model) });
  }

  /** Stores the vector of a text as a load does that is killed before it publishes. */
  async offer(id: string, description: string): Promise<void> {
    const name = id === 'skill' ? 'skill' : `name of ${id}`;
    const hash = await textHashOf(row('x', { name, description }));
    const [vector] = await EMBEDDER.embed([`${name}. ${description}`]);
    await this.#store.offerVectors(MODEL, [{ textHash: hash, embedding: encodeVector(vector!) }]);
  }

  async look(place: CataloguePlace): Promise<void> {
    const search = await openSkillSearch(place).catch(orNothing);
    await search?.close();
  }

  /** The version of a copy, and which of its skills have a vector. */
  async seen(place: CataloguePlace): Promise<{ readonly version: number | undefined; readonly withVector: string[] }> {
    await this.look(place);
    const file = `${place.cache}/skills.db`;
    const version = revisionIn(file)?.version;
    if (version === undefined) return { version, withVector: [] };
    const connection = new Database(file, { readonly: true });
    try {
      const ids = connection.prepare<[], string>(
        'SELECT id FROM skill WHERE text_hash IN (SELECT text_hash FROM vector) ORDER BY id',
      );
      return { version, withVector: ids.pluck().all() };
    } finally {
      connection.close();
    }
  }

  /** All of these, and a copy that is made of all rows. */
  async expectSame(places: readonly CataloguePlace[]): Promise<void> {
    await this.#server.execute(this.#database, 'TRUNCATE skill_discovery.snapshot, skill_discovery.chunk');
    const whole = await this.seen(this.#machine());
    for (const place of places) expect(await this.seen(place)).toEqual(whole);
  }

  #machine(): CataloguePlace {
    return { database: this.#database, cache: scratchFolder() };
  }
}

function withModel(model: Model): { readonly semantic: false } | { readonly embedder: StandInEmbedder } {
  if (model === 'none') return { semantic: false };
  return { embedder: model === 'usual' ? EMBEDDER : new StandInEmbedder('another') };
}

/** Where there is no catalogue yet, nothing can be changed or looked at. */
function orNothing(error: { readonly code?: string }): undefined {
  if (error.code !== 'DATABASE_NOT_FOUND') throw error;
}

/** Rows that can be read again; something else happens when they are read first. */
function meanwhile(rows: readonly Row[], work: () => Promise<void>): AsyncIterable<Row> {
  let isFirst = true;
  return {
    async *[Symbol.asyncIterator]() {
      if (isFirst) await work();
      isFirst = false;
      yield* rows;
    },
  };
}

/** By which the text of a row is known. */
async function textHashOf(one: Row): Promise<Buffer> {
  const database = `${scratchFolder()}/one.db`;
  await buildCatalogue({ database, sources: [[one]], semantic: false });
  const connection = new Database(database, { readonly: true });
  try {
    return connection.prepare<[], Buffer>('SELECT text_hash FROM skill').pluck().get()!;
  } finally {
    connection.close();
  }
}
