import { copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256Of } from '../../src/core/index.js';
import { buildCatalogue, checkCatalogue, openSkillSearch } from '../../src/index.js';
import { removeSkills } from '../../src/load/index.js';
import type { SkillFolder } from '../../src/skill.js';
import { CatalogueReader } from '../../src/store/read/catalogue-reader.js';
import type { Database } from '../../src/store/sqlite.js';
import type { ChangeCounts } from '../../src/store/write/open-load.js';
import { CatalogueWriter, OpenLoad } from '../../src/store/writing.js';
import { contentOf, filesBeside, inDatabase, stampOf, traceOf, vectorsOf } from '../catalogue-file.js';
import { row } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { finished, loadItems, storeItem } from './store-items.js';

/** What a source holds at one moment, and what is done with it. */
interface Load {
  readonly rows: readonly SourceRow[];
  readonly prune: boolean;
  readonly spared: readonly string[];
}

interface SourceRow {
  readonly source: string;
  readonly id: string;
  readonly version: number;
  /** Whether it may be known again by the bytes it was read from. */
  readonly fingerprinted: boolean;
}

/** A run that ends before it is published: after so many rows, or after all of them and its pruning. */
interface Attempt extends Load {
  readonly rowsTaken: number;
}

interface Turn extends Load {
  readonly before: readonly Attempt[];
}

describe('a load after one that was interrupted, its sources changed in between', () => {
  test('ends with what one source holds in the end, and counts as if it had run through', () => {
    check(['s1'], turnsOf(['s1']));
  });

  test('ends with what several sources hold in the end', () => {
    check(['s1', 's2'], turnsOf(['s1', 's2']));
  });
});

describe('what a killed load leaves', () => {
  test('keeps the catalogue as it was, and gives the next load its vectors', () => {
    const path = scratchFile('skills.db');
    loadItems(path, [storeItem('old')], false);
    const before = traceOf(path);
    const killed = new CatalogueWriter(new OpenLoad(path, true));
    killed.put(storeItem('a'), 'source');
    const [skill] = killed.vectors.useModel('model').slice(-1);
    const { textHash } = killed.vectors.textToEmbed(skill!);
    killed.vectors.putVectors([{ textHash, vector: Float32Array.of(1, 0) }]);
    killed.close();
    expect(traceOf(path)).toEqual(before);
    expect(filesBeside(path)).toEqual(['skills.db.loading']);

    const again = new CatalogueWriter(new OpenLoad(path, true));
    again.put(storeItem('a'), 'source');
    expect(again.vectors.useModel('model')).toHaveLength(1);
    expect(finished(again)).toEqual({ added: 1, updated: 0, unchanged: 0, removed: 0 });
    expect(vectorsOf(path)).toHaveLength(1);
    expect(filesBeside(path)).toEqual([]);
  });

  test('goes where it cannot be read, as does a copy in the making', () => {
    const path = scratchFile('skills.db');
    loadItems(path, [storeItem('old')], false);
    for (const damage of [Buffer.from('no database at all '.repeat(50)), Buffer.alloc(0)]) {
      writeFileSync(`${path}.loading`, damage);
      writeFileSync(`${path}.loading-part`, damage);
      writeFileSync(`${path}.loading-part-journal`, '');
      loadItems(path, [storeItem('b', { stars: damage.length })], true);
      expect([...contentOf(path).keys()]).toEqual(['b', 'old']);
      expect(filesBeside(path)).toEqual([]);
    }
  });
});

function turnsOf(sources: readonly string[]): fc.Arbitrary<Turn[]> {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'é', '😀');
  const row = fc.record({ source: fc.constantFrom(...sources), id, version: fc.nat(2), fingerprinted: fc.boolean() });
  const load = {
    rows: fc.array(row, { maxLength: 8 }),
    prune: fc.boolean(),
    spared: fc.array(id, { maxLength: 1 }),
  };
  const attempt = fc.record({ ...load, rowsTaken: fc.nat(9) });
  const turn = fc.record({ ...load, before: fc.array(attempt, { maxLength: 2 }) });
  return fc.array(turn, { minLength: 1, maxLength: 4 });
}

/** Runs the turns over a real file and over a Map, and compares the two after every one. */
function check(sources: readonly string[], turns: fc.Arbitrary<Turn[]>): void {
  const folder = scratchFolder();
  let count = 0;
  fc.assert(
    fc.property(turns, (all) => {
      const path = `${folder}/${count++}.db`;
      const model = new Model();
      for (const turn of all) {
        for (const attempt of turn.before) interrupt(path, attempt, sources);
        const before = existsSync(path) ? traceOf(path) : undefined;
        const contentBefore = model.content();
        const writer = new CatalogueWriter(new OpenLoad(path, before !== undefined));
        bring(writer, turn, sources);

        expect(finished(writer)).toEqual(model.load(turn, sources));
        expect(contentInFile(path)).toEqual(model.content());
        expect(filesBeside(path).filter((name) => !name.endsWith('.loading'))).toEqual([]);
        const same = JSON.stringify(model.content()) === JSON.stringify(contentBefore);
        if (before !== undefined && same && turn.before.length === 0) expect(traceOf(path)).toEqual(before);
      }
    }),
    { numRuns: 50 },
  );
}

function interrupt(path: string, attempt: Attempt, sources: readonly string[]): void {
  const writer = new CatalogueWriter(new OpenLoad(path, existsSync(path)));
  bring(writer, attempt, sources, attempt.rowsTaken);
  writer.close();
}

function bring(writer: CatalogueWriter, load: Load, sources: readonly string[], rows = Number.MAX_SAFE_INTEGER): void {
  for (const { source, id, version, fingerprinted } of load.rows.slice(0, rows)) {
    const fingerprint = sha256Of(`${id} ${version}`).slice(0, 16);
    if (writer.isKnown(fingerprint, source)) writer.putKnown(fingerprint, source);
    else
      writer.put(storeItem(id, { description: `version ${version}` }), source, fingerprinted ? fingerprint : undefined);
  }
  if (load.prune && rows > load.rows.length) writer.prune(sources, { ids: new Set(load.spared) });
}

type Content = Record<string, { readonly description: string; readonly sources: readonly string[] }>;

/** The same as a catalogue, in a Map. */
class Model {
  #skills = new Map<string, { description: string; sources: Set<string> }>();

  load({ rows, prune, spared }: Load, sources: readonly string[]): ChangeCounts {
    const before = new Map([...this.#skills].map(([id, { description }]) => [id, description]));
    const seen = new Set<string>();
    for (const { source, id, version } of rows) {
      const skill = this.#skills.get(id) ?? { description: '', sources: new Set() };
      skill.description = `version ${version}`;
      skill.sources.add(source);
      this.#skills.set(id, skill);
      seen.add(id);
    }
    for (const [id, skill] of prune ? this.#skills : []) {
      if (seen.has(id) || spared.includes(id)) continue;
      for (const source of sources) skill.sources.delete(source);
      if (skill.sources.size === 0) this.#skills.delete(id);
    }
    const changes = [...seen].map((id) =>
      before.has(id) ? before.get(id) === this.#skills.get(id)?.description : 'new',
    );
    return {
      added: changes.filter((change) => change === 'new').length,
      updated: changes.filter((change) => change === false).length,
      unchanged: changes.filter((change) => change === true).length,
      removed: [...before.keys()].filter((id) => !this.#skills.has(id)).length,
    };
  }

  content(): Content {
    const ids = [...this.#skills.keys()].sort();
    return Object.fromEntries(
      ids.map((id) => {
        const { description, sources } = this.#skills.get(id) as { description: string; sources: Set<string> };
        return [id, { description, sources: [...sources].sort() }];
      }),
    );
  }
}

function contentInFile(path: string): Content {
  return Object.fromEntries(
    [...contentOf(path)].map(([id, { record, sources }]) => {
      return [id, { description: (record as { description: string }).description, sources }];
    }),
  );
}

describe('folder ids', () => {
  /** A SKILL.md that a source reaches: its folder decides what it is, the name is all that its slug is made of. */
  interface Found {
    readonly source: string;
    readonly folder: string;
    readonly name: string;
    readonly version: number;
  }

  interface Turn {
    readonly found: readonly Found[];
    readonly prune: boolean;
    /** Runs of the same load that were killed before, each after so many skills; what they found may be outdated. */
    readonly killed: readonly { readonly found: readonly Found[]; readonly taken: number }[];
  }

  const FOUND: fc.Arbitrary<Found> = fc.record({
    source: fc.constantFrom('s1', 's2'),
    folder: fc.constantFrom('/a', '/b', '/c'),
    name: fc.constantFrom('skills/pdf', 'skills/doc'),
    version: fc.nat(1),
  });
  const LIST = fc.array(FOUND, { maxLength: 6 });
  const TURN: fc.Arbitrary<Turn> = fc.record({
    found: LIST,
    prune: fc.boolean(),
    killed: fc.array(fc.record({ found: LIST, taken: fc.nat(6) }), { maxLength: 2 }),
  });

  test('ids of skills whose origin is a folder are the same whether loads were killed in between or not, and one folder never takes the skill of another', () => {
    const home = scratchFolder();
    let count = 0;
    fc.assert(
      fc.property(fc.array(TURN, { minLength: 1, maxLength: 3 }), (turns) => {
        const [killed, whole] = [join(home, `${count}-killed.db`), join(home, `${count}-whole.db`)];
        count += 1;
        for (const turn of turns) {
          for (const { found, taken } of turn.killed) bringFolders(killed, { ...turn, found }, taken);
          const counts = bringFolders(killed, turn);
          expect(counts).toEqual(bringFolders(whole, turn));
          expect(contentOf(killed)).toEqual(contentOf(whole));
          expect(filesBeside(killed).filter((name) => !name.endsWith('.loading'))).toEqual([]);

          // Each folder that was found has a skill of its own, made of the folder alone.
          const folders = [...contentOf(whole).values()].map(({ record }) => (record as { author: string }).author);
          expect(new Set(folders).size).toBe(folders.length);
          expect(folders).toEqual(expect.arrayContaining(turn.found.map(({ folder }) => folder)));

          const before = traceOf(whole);
          expect(bringFolders(whole, turn)).toMatchObject({ added: 0, updated: 0, removed: 0 });
          expect(traceOf(whole)).toEqual(before);
        }
      }),
      { numRuns: 20 },
    );
  });

  /** Loads what was found, or as much of it as was taken before a kill. */
  function bringFolders(path: string, { found, prune }: Turn, taken?: number): ChangeCounts | undefined {
    const writer = new CatalogueWriter(new OpenLoad(path, existsSync(path)));
    // A folder has one content at a time.
    const versions = new Map(found.map(({ folder, version }) => [folder, version]));
    for (const { source, folder, name } of found.slice(0, taken)) {
      const origin: SkillFolder = { path: folder, isOrigin: true };
      const plain = name.replaceAll('/', '-');
      const wish = { plain, withHash: (hash: string) => `${plain}-${hash}` };
      const id = writer.chooseFolderId(wish, origin);
      const item = storeItem(id, { author: folder, description: `version ${versions.get(folder)}` });
      writer.put({ ...item, location: name, folder: origin }, source);
    }
    if (taken !== undefined) {
      writer.close();
      return undefined;
    }
    if (prune) writer.prune(['s1', 's2']);
    return finished(writer);
  }
});

describe('the published file', () => {
  test('is not touched by reading', () => {
    const path = scratchFile('skills.db');
    loadItems(path, [storeItem('a')], false);
    const before = traceOf(path);

    const reader = CatalogueReader.open(path);
    reader.skill(0);
    reader.close();

    expect(traceOf(path)).toEqual(before);
    expect(filesBeside(path)).toEqual([]);
  });

  test('gets another stamp with every load that changes something, and none with one that does not', () => {
    const path = scratchFile('skills.db');
    loadItems(path, [storeItem('a')], false);
    const first = stampOf(path);
    const trace = traceOf(path);

    expect(loadItems(path, [storeItem('a')], true)).toEqual({ added: 0, updated: 0, unchanged: 1, removed: 0 });
    expect(traceOf(path)).toEqual(trace);

    expect(loadItems(path, [storeItem('a', { stars: 5 })], true)).toMatchObject({ updated: 1 });
    expect(stampOf(path)).not.toBe(first);
  });

  test('shrinks when most of it was removed', async () => {
    const path = scratchFile('skills.db');
    const ids = Array.from({ length: 4000 }, (_, i) => `skill-${i}`);
    loadItems(
      path,
      ids.map((id) => storeItem(id)),
      false,
    );
    const before = statSync(path).size;

    expect(await removeSkills({ database: path, ids: ids.slice(10) })).toBe(3990);

    expect(statSync(path).size).toBeLessThan(before / 4);
    expect([...contentOf(path).keys()]).toEqual(ids.slice(0, 10));
  });
});

describe('forget journal', () => {
  const rows = Array.from({ length: 200 }, (_, i) => row(`a${i}`, { description: `${i} ${'words '.repeat(200)}` }));

  /** Makes a catalogue whose change was cut off while it was written: half of the change, and its journal. */
  async function cutOff(database: string): Promise<void> {
    const whole = scratchFile('whole.db');
    await buildCatalogue({ database: whole, sources: [{ name: 'rows', rows }], semantic: false });
    const halfOf = (writer: Database): void => {
      // Writes into the file before the commit, and a journal for it.
      writer.pragma('cache_size = 2');
      writer.exec("BEGIN IMMEDIATE; UPDATE revision SET record = '{}', stars = 7");
      for (const ending of ['', '-journal']) copyFileSync(whole + ending, database + ending);
    };
    inDatabase(whole, halfOf, false);
    expect(readFileSync(`${database}-journal`)[0]).not.toBe(0);
  }

  test('a change that was cut off is not undone in a catalogue that is loaded where the former one was deleted', async () => {
    const database = scratchFile('skills.db');
    await cutOff(database);
    rmSync(database);
    await buildCatalogue({ database, sources: [{ name: 'rows', rows: [row('b')] }], semantic: false });
    await using search = await openSkillSearch({ database });
    expect(search.ids()).toEqual(['b']);
    expect((await checkCatalogue({ database })).problems).toEqual([]);
  });

  test('a change that was cut off is undone before a load replaces the catalogue', async () => {
    const database = scratchFile('skills.db');
    await cutOff(database);
    await buildCatalogue({ database, sources: [{ name: 'more', rows: [row('b')] }], semantic: false });
    await using search = await openSkillSearch({ database });
    expect([search.ids().length, search.get('a7')?.name]).toEqual([201, rows[7]!.name]);
    expect((await checkCatalogue({ database })).problems).toEqual([]);
  });
});
