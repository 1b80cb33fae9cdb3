// `npm run bench:shared -- --database FILE [--rounds N]`: how long a catalogue in PostgreSQL takes to be published, to
// reach a new server, how soon 100 changes are found by one that follows, and how long small changes take; in turns
// with plain copies of the same bytes, or the same in a file. The server runs in a process of its own. Needs a build.
// See README.md here.
import { constants, mkdtempSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { copyFile, mkdir, open } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { removeSkills, updateSkills } from '../src/index.js';
import { readPostgresAddress } from '../src/share/postgres/postgres-address.js';
import { Replica, replicaFiles } from '../src/share/shared-catalogue/replica.js';
import { SharedStore } from '../src/share/shared-catalogue/shared-store.js';
import { readManifest } from '../src/share/snapshot/manifest.js';
import { derivedFiles } from '../src/store/files.js';
import { differenceOf } from '../src/store/transfer/difference.js';
import { PostgresCluster, programs } from '../test/share/postgres/postgres-cluster.js';
import { FollowingProcess } from './following-process.js';
import { machineName } from './machine.js';
import { markdownTable } from './markdown-table.js';
import { median } from './statistics.js';

const { values } = parseArgs({
  options: { database: { type: 'string' }, rounds: { type: 'string', default: '5' } },
});
const ROUNDS = Number(values.rounds);
/** Skills that a small load changes. */
const CHANGED = 100;
/** Skills of a small change. */
const FEW = 10;

if (programs === undefined) console.error('Skipped: no server of PostgreSQL is installed.');
else if (values.database === undefined) throw new Error('--database FILE is missing: a catalogue with vectors');
else await measure(values.database);

async function measure(database: string): Promise<void> {
  console.log(`machine: ${machineName()}; load average ${loadavg()[0]?.toFixed(1)}\n`);
  const folder = mkdtempSync(join(tmpdir(), 'skill-discovery-bench-'));
  // As it is installed, but for room: what is committed is on the disk.
  const cluster = await PostgresCluster.make({ settings: ['shared_buffers=256MB', 'max_wal_size=4GB'] });
  const seconds = new Map<string, number[]>();
  const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    const result = await work();
    seconds.set(what, [...(seconds.get(what) ?? []), (performance.now() - began) / 1000]);
    return result;
  };
  try {
    await cluster.start();
    const address = await cluster.database();
    const parsed = readPostgresAddress('database', address);
    const store = await SharedStore.open(parsed);
    const whole = differenceOf(undefined, database);
    await timed('publish everything', async () => store.publish(whole, await store.head()));
    whole.close();
    const first = join(folder, 'first');
    const copy = new Replica(replicaFiles(parsed, first), store);
    await timed('a new server without a checkpoint: all rows and all indexes', () => copy.bringUp());
    await timed('write a checkpoint', () => copy.storeSnapshot(join(folder, 'files')));

    const files = [copy.database, ...derivedFiles(copy.database)].filter((path) =>
      readdirSync(first).includes(basename(path)),
    );
    for (let round = 0; round < ROUNDS; round++) {
      await inEmptyFolder(folder, (to) => timed('the files, copied from disk to disk', () => copyFiles(files, to)));
      await inEmptyFolder(folder, (to) => timed('the files, copied through PostgreSQL', () => copyThrough(store, to)));
      await inEmptyFolder(folder, async (cache) => {
        const child = new FollowingProcess();
        await timed('a new, empty server, until its first answer', () => child.answers({ address, cache }));
        await child.end();
      });
    }

    const child = new FollowingProcess();
    await child.answers({ address, cache: join(folder, 'follower') });
    const scratch = join(folder, 'scratch.db');
    await copyFile(copy.database, scratch, constants.COPYFILE_FICLONE);
    for (let round = 0; round < ROUNDS; round++) {
      const before = join(folder, 'before.db');
      await copyFile(scratch, before, constants.COPYFILE_FICLONE);
      const ids = Array.from({ length: CHANGED }, (_, i) => `lag-${round}-${i}`);
      const rows = ids.map((id) => ({ id, name: id, description: `A skill of round ${round}` }));
      await updateSkills({ database: scratch, rows, semantic: false });
      if (round > 0) await removeSkills({ database: scratch, ids: [`lag-${round - 1}-0`] });
      const found = child.finds(ids.at(-1)!);
      const changes = differenceOf(before, scratch);
      await timed(`publish ${CHANGED} changes`, async () => store.publish(changes, await store.head()));
      changes.close();
      await timed(`from then on, until a following server finds them`, () => found);
    }
    await child.end();
    const own = join(folder, 'file');
    await mkdir(own);
    await copyFiles(files, own);
    const places = [
      ['PostgreSQL', { database: address, cache: first }],
      ['a file', { database: join(own, basename(copy.database)) }],
    ] as const;
    for (const [, place] of places) await updateSkills({ ...place, rows: [], semantic: false });
    const ids = Array.from({ length: FEW }, (_, i) => `few-${i}`);
    for (let round = 0; round < ROUNDS; round++) {
      const rows = ids.map((id) => ({ id, name: id, description: `A skill of round ${round}` }));
      for (const [where, place] of places) {
        await timed(`updateSkills of ${FEW} in ${where}`, () => updateSkills({ ...place, rows, semantic: false }));
        await timed(`removeSkills of ${FEW} in ${where}`, async () => removeSkills({ ...place, ids }));
      }
    }
    await store.close();
  } finally {
    await cluster.remove();
    rmSync(folder, { recursive: true, force: true });
  }
  const rows = [...seconds].map(([what, all]) => [
    what,
    String(all.length),
    ...[median(all), Math.min(...all), Math.max(...all)].map((figure) => figure.toFixed(2)),
  ]);
  console.log(markdownTable(['', 'rounds', 'median s', 'least', 'most'], rows));
  console.log(`\nload average at the end ${loadavg()[0]?.toFixed(1)}`);
}

async function inEmptyFolder(parent: string, work: (folder: string) => Promise<unknown>): Promise<void> {
  const folder = join(parent, 'copy');
  await mkdir(folder);
  await work(folder);
  rmSync(folder, { recursive: true });
}

async function copyFiles(files: readonly string[], to: string): Promise<void> {
  for (const path of files) {
    await copyFile(path, join(to, basename(path)));
    const file = await open(join(to, basename(path)), 'r+');
    await file.sync();
    await file.close();
  }
}

/** Chunk by chunk, as they are asked for; nothing is checked but their digests. */
async function copyThrough(store: SharedStore, to: string): Promise<void> {
  const found = await store.snapshot.find();
  for (const { name, chunks } of readManifest(found!.manifest, 'the checkpoint').files) {
    const file = await open(join(to, name), 'w');
    for (const digest of chunks) writeSync(file.fd, (await store.snapshot.chunk(digest))!);
    await file.sync();
    await file.close();
  }
}
