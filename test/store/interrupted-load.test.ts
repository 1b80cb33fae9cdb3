import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CatalogueWriter } from '../../src/store/write/catalogue-writer.js';
import type { ChangeCounts } from '../../src/store/write/open-load.js';
import { contentOf, filesBeside, traceOf, vectorsOf } from '../catalogue-file.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { loadItems, storeItem } from './store-items.js';

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
    const killed = new CatalogueWriter(path, undefined, true);
    killed.put(storeItem('a'), 'source');
    const [skill] = killed.vectors.useModel('model').slice(-1);
    const { textHash } = killed.vectors.textToEmbed(skill!);
    killed.vectors.putVectors([{ textHash, vector: Float32Array.of(1, 0) }]);
    killed.close();
    expect(traceOf(path)).toEqual(before);
    expect(filesBeside(path)).toEqual(['skills.db.loading']);

    const again = new CatalogueWriter(path, undefined, true);
    again.put(storeItem('a'), 'source');
    expect(again.vectors.useModel('model')).toHaveLength(1);
    expect(again.finish()).toEqual({ added: 1, updated: 0, unchanged: 0, removed: 0 });
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
        const writer = new CatalogueWriter(path, undefined, before !== undefined);
        bring(writer, turn, sources);

        expect(writer.finish()).toEqual(model.load(turn, sources));
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
  const writer = new CatalogueWriter(path, undefined, existsSync(path));
  bring(writer, attempt, sources, attempt.rowsTaken);
  writer.close();
}

function bring(writer: CatalogueWriter, load: Load, sources: readonly string[], rows = Number.MAX_SAFE_INTEGER): void {
  for (const { source, id, version, fingerprinted } of load.rows.slice(0, rows)) {
    const fingerprint = createHash('sha256').update(`${id} ${version}`).digest('hex').slice(0, 16);
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
