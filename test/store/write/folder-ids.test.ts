import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SkillFolder } from '../../../src/store/places.js';
import { CatalogueWriter } from '../../../src/store/write/catalogue-writer.js';
import type { ChangeCounts } from '../../../src/store/write/open-load.js';
import { contentOf, filesBeside, traceOf } from '../../catalogue-file.js';
import { scratchFolder } from '../../scratch-folder.js';
import { storeItem } from '../store-items.js';

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

describe('ids of skills whose origin is a folder', () => {
  test('are the same whether loads were killed in between or not, and one folder never takes the skill of another', () => {
    const home = scratchFolder();
    let count = 0;
    fc.assert(
      fc.property(fc.array(TURN, { minLength: 1, maxLength: 3 }), (turns) => {
        const [killed, whole] = [join(home, `${count}-killed.db`), join(home, `${count}-whole.db`)];
        count += 1;
        for (const turn of turns) {
          for (const { found, taken } of turn.killed) bring(killed, { ...turn, found }, taken);
          const counts = bring(killed, turn);
          expect(counts).toEqual(bring(whole, turn));
          expect(contentOf(killed)).toEqual(contentOf(whole));
          expect(filesBeside(killed).filter((name) => !name.endsWith('.loading'))).toEqual([]);

          // Each folder that was found has a skill of its own, made of the folder alone.
          const folders = [...contentOf(whole).values()].map(({ record }) => (record as { author: string }).author);
          expect(new Set(folders).size).toBe(folders.length);
          expect(folders).toEqual(expect.arrayContaining(turn.found.map(({ folder }) => folder)));

          const before = traceOf(whole);
          expect(bring(whole, turn)).toMatchObject({ added: 0, updated: 0, removed: 0 });
          expect(traceOf(whole)).toEqual(before);
        }
      }),
      { numRuns: 20 },
    );
  });
});

/** Loads what was found, or as much of it as was taken before a kill. */
function bring(path: string, { found, prune }: Turn, taken?: number): ChangeCounts | undefined {
  const writer = new CatalogueWriter(path, undefined, existsSync(path));
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
  return writer.finish();
}
