import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { buildCatalogue, copyCatalogue } from '../../../src/index.js';
import { readNamedState } from '../../../src/store/notes.js';
import { applyChanges } from '../../../src/store/transfer/apply-changes.js';
import type { CatalogueChanges } from '../../../src/store/transfer/catalogue-changes.js';
import { filesBeside, stampOf } from '../../catalogue-file.js';
import { row } from '../../rows.js';
import { scratchFolder } from '../../scratch-folder.js';
import { StandInEmbedder } from '../../semantic/stand-in-embedder.js';
import { allOf, signedByEarlierVersion } from './all-of.js';
import { withChanges } from './with-changes.js';

const embedder = new StandInEmbedder();

describe('a catalogue whose program is killed while changes are applied', () => {
  test.each([
    ['in place', 'fetched', 'former'],
    ['in place', 'committing', 'former'],
    ['as a whole load', 'fetched', 'former'],
    ['as a whole load', 'committed', 'former'],
    ['as a whole load', 'renamed', 'later'],
    ['into no catalogue', 'fetched', 'former'],
    ['into no catalogue', 'committed', 'former'],
    ['into no catalogue', 'renamed', 'later'],
  ] as const)('%s, %s, is in the %s state, and the next call goes on', async (way, moment, state) => {
    const { former, later, copy } = await states();
    const base = way === 'into no catalogue' ? undefined : former;
    if (base !== undefined) await copyCatalogue({ from: former, to: copy });
    if (way === 'as a whole load') signedByEarlierVersion(copy);
    const before = base === undefined ? undefined : await allOf(copy);

    await killed(base, later, copy, moment);
    if (state === 'later') expect(await allOf(copy)).toEqual(await allOf(later));
    else if (before === undefined) expect(existsSync(copy)).toBe(false);
    else expect(await allOf(copy)).toEqual(before);
    expect(readNamedState(copy)?.note).toBe(state === 'later' ? 'a 2' : undefined);

    await withChanges(base, later, (changes) => applyChanges(copy, changes, { note: 'a 2' }));
    expect(await allOf(copy)).toEqual(await allOf(later));
    expect(readNamedState(copy)?.note).toBe('a 2');
    expect(filesBeside(copy).filter((file) => !file.includes('.vectors'))).toEqual([]);
  });
});

test('what a first copy had written before it was cut off serves for a later state, and what went since is gone', async () => {
  const { former, later, copy } = await states();
  const stop = new AbortController();
  const first = withChanges(
    undefined,
    former,
    (changes) => applyChanges(copy, changes, { note: 'a 1', signal: stop.signal }),
    (changes) => ({ images: () => cutOff(changes, stop) }),
  );
  await expect(first).rejects.toThrow('cut off');
  expect([existsSync(copy), existsSync(`${copy}.loading`)]).toEqual([false, true]);
  const asked: string[] = [];
  await withChanges(
    undefined,
    later,
    (changes) => applyChanges(copy, changes, { note: 'a 2' }),
    (changes) => ({
      vectors: (hashes) => {
        asked.push(...hashes.map((hash) => hash.toString('hex')));
        return changes.vectors(hashes);
      },
    }),
  );
  expect(await allOf(copy)).toEqual(await allOf(later));
  expect(stampOf(copy)).toBe(stampOf(later));
  // The vectors of `a` and `b` were there.
  expect(asked).toHaveLength(Object.keys((await allOf(later)).vectors).length - 2);
});

/** Images of which only the first ones are stored. */
async function* cutOff(changes: CatalogueChanges, stop: AbortController): ReturnType<CatalogueChanges['images']> {
  for await (const images of changes.images()) {
    yield images.slice(0, 3);
    yield images.slice(3, 4);
    stop.abort(new Error('cut off'));
    yield images.slice(4);
  }
}

/** The later state lacks `c` of the former one, `b` is another there, and `d` is new. */
async function states(): Promise<{ former: string; later: string; copy: string }> {
  const folder = scratchFolder();
  const [former, later, copy] = ['former.db', 'later.db', 'copy.db'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const same = ['e', 'f', 'g', 'h'].map((id) => row(id));
  const load = (rows: readonly unknown[]): Promise<unknown> =>
    buildCatalogue({ database: later, sources: [{ name: 'one', rows }], prune: true, embedder });
  await load([row('a'), row('b'), row('c'), ...same]);
  await copyCatalogue({ from: later, to: former });
  await load([row('a'), row('b', { stars: 1 }), row('d'), row('d2'), ...same]);
  return { former, later, copy };
}

async function killed(base: string | undefined, next: string, database: string, moment: string): Promise<void> {
  const script = fileURLToPath(new URL('killable-apply.ts', import.meta.url));
  const parameters = ['--import', 'tsx', script, base ?? '', next, database, moment];
  const child = spawn(process.execPath, parameters, { stdio: 'ignore' });
  await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');
}
