import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sha256Of } from '../../../src/core/index.js';
import {
  buildCatalogue,
  type FollowedSearch,
  followCatalogue,
  openSkillSearch,
  type ReloadEvent,
  removeSkills,
  SkillSearchError,
  updateSkills,
  writeSnapshot,
} from '../../../src/index.js';
import { chunkPath, type Manifest, manifestText, readManifest } from '../../../src/share/snapshot/manifest.js';
import { changeIn } from '../../catalogue-file.js';
import { codeOf } from '../../error-code.js';
import { until } from '../../processes.js';
import { row } from '../../rows.js';
import { closing, scratchFile, scratchFolder } from '../../scratch-folder.js';
import { damageNotes, LIES } from '../../store/foreign.js';
import { largeCatalogue, publishLie, type SnapshotServer, serveFolder } from './snapshots.js';

const OWN = { name: 'own', rows: [row('own')] };

interface Published {
  readonly database: string;
  readonly folder: string;
  readonly server: SnapshotServer;
  publish(): Promise<void>;
}

describe('a search over the address of a snapshot', () => {
  test('answers as one over the catalogue does', async () => {
    const { database, server } = await published();
    await using here = await openSkillSearch({ database });
    await using there = await openSkillSearch({ database: server.address, cache: scratchFolder() });
    for (const q of ['skill', 'skill 17', 'pdf']) expect(there.keyword({ q })).toEqual(here.keyword({ q }));
    const { copy, ...stats } = there.stats();
    expect(stats).toEqual(here.stats());
    expect(copy).toEqual({ confirmedAt: expect.any(Number) });
    expect(there.get('skill-7')).toEqual(here.get('skill-7'));
  });

  test('opens the copy that is there when the server is away, and says so where none is', async () => {
    const { server } = await published();
    const cache = scratchFolder();
    await (await openSkillSearch({ database: server.address, cache })).close();
    await server.stop();
    await using search = await openSkillSearch({ database: server.address, cache });
    expect(search.stats().skills).toBe(400);
    expect(search.problems.warnings).toMatchObject([{ message: expect.stringMatching(/^answers are from the copy/) }]);
    const opening = openSkillSearch({ database: server.address, cache: scratchFolder() });
    expect(await codeOf(() => opening)).toBe('SNAPSHOT_NOT_AVAILABLE');
  });

  test.each([['opened'], ['followed']])('mends a copy that is damaged when it is %s', async (how) => {
    const { server } = await published();
    const cache = scratchFolder();
    await (await openSkillSearch({ database: server.address, cache })).close();
    damageNotes(join(cache, 'skills.db'));
    server.asked.length = 0;
    const options = { database: server.address, cache };
    await using search = await (how === 'opened' ? openSkillSearch(options) : followCatalogue(options));
    expect(search.keyword({ q: 'skill 17' }).pagination.total).toBeGreaterThan(0);
    // All other chunks are whole.
    expect(server.asked.filter((line) => line.includes('/chunks/'))).toHaveLength(1);
  });

  test.each([
    [
      'a catalogue of its own',
      async (path: string) => buildCatalogue({ database: path, semantic: false, sources: [OWN] }),
    ],
    [
      'the copy of another address',
      async (path: string) => {
        const other = await published();
        await (await openSkillSearch({ database: other.server.address, cache: dirname(path) })).close();
      },
    ],
  ])('never writes into a folder that holds %s', async (_, fill) => {
    const { server } = await published();
    const cache = scratchFolder();
    await fill(join(cache, 'skills.db'));
    const before = readFileSync(join(cache, 'skills.db'));
    expect(await codeOf(() => openSkillSearch({ database: server.address, cache }))).toBe('CATALOGUE_EXISTS');
    expect(await codeOf(() => followCatalogue({ database: server.address, cache }))).toBe('CATALOGUE_EXISTS');
    expect(readFileSync(join(cache, 'skills.db')).equals(before)).toBe(true);
  });

  test('fetches nothing again after a kill between two files of a new state', async () => {
    const { server } = await published();
    const cache = scratchFolder();
    await (await openSkillSearch({ database: server.address, cache })).close();
    rmSync(join(cache, 'skills.db.snapshot'));
    server.asked.length = 0;
    await (await openSkillSearch({ database: server.address, cache })).close();
    expect(chunksAsked(server)).toBe(0);
  });

  test('never shows the password of its address, and sends it to its own server alone', async () => {
    const { server } = await published();
    const sent: (string | undefined)[] = [];
    server.instead = (request, response) => {
      sent.push(request.headers.authorization);
      if (request.headers.authorization === `Basic ${Buffer.from('zoe:s3cret').toString('base64')}`) return false;
      response.writeHead(401).end();
      return true;
    };
    const withPassword = (password: string): string => server.address.replace('//', `//zoe:${password}@`);
    await (await openSkillSearch({ database: withPassword('s3cret'), cache: scratchFolder() })).close();
    expect(new Set(sent).size).toBe(1);
    const error = await openSkillSearch({ database: withPassword('wrong'), cache: scratchFolder() }).catch(
      (failure: unknown) => failure as SkillSearchError,
    );
    expect(error).toBeInstanceOf(SkillSearchError);
    expect((error as SkillSearchError).message).toMatch(/answers 401 for its manifest/);
    expect((error as SkillSearchError).message).not.toMatch(/wrong|zoe/);
  });
});

describe('a search that follows a snapshot', () => {
  test('answers from each newer one soon, and fetches only what has changed', async () => {
    const { database, server, publish } = await published();
    const cache = scratchFolder();
    const { search } = await following(server, cache);
    const whole = chunksAsked(server);
    await updateSkills({ database, rows: [row('later')], semantic: false });
    await publish();
    await until(() => search.get('later') !== undefined);
    const further = chunksAsked(server) - whole;
    expect(further).toBeGreaterThan(0);
    expect(further).toBeLessThan(whole);
    await removeSkills({ database, ids: ['later'] });
    await publish();
    await until(() => search.get('later') === undefined);
    await using here = await openSkillSearch({ database });
    expect(search.keyword({ q: 'skill' })).toEqual(here.keyword({ q: 'skill' }));
  });

  test.each([
    ['names a chunk that is not there', (text: string) => swapDigest(text, 'f'.repeat(64))],
    ['names another state', (text: string) => changedStamp(text)],
  ])('stays with its state when the manifest %s, and goes on when it is mended', async (_, lie) => {
    const { database, folder, server, publish } = await published();
    const cache = scratchFolder();
    const { search, events } = await following(server, cache);
    const before = search.stats().stamp;
    const path = join(folder, 'manifest.json');
    const formerManifest = readFileSync(path, 'utf8');
    let told = formerManifest;
    server.instead = (request, response) => {
      if (request.url !== '/manifest.json') return false;
      response.end(told);
      return true;
    };
    await updateSkills({ database, rows: [row('later')], semantic: false });
    await publish();
    told = lie(readFileSync(path, 'utf8'));
    await until(() => events.some(({ kind }) => kind === 'failed'));
    expect(search.stats().stamp).toBe(before);
    expect(search.get('skill-7')).toBeDefined();
    server.instead = undefined;
    await until(() => search.get('later') !== undefined);
    const again = events.filter(({ kind }) => kind === 'reachable');
    expect(again).toEqual([{ kind: 'reachable', milliseconds: expect.any(Number) }]);
  });

  test.each(LIES.slice(0, 2))(
    'keeps its state, also on the disk, when a file lies by %s, does not fetch it again, and gets over it',
    async (_, named, sql) => {
      const { database, folder, server, publish } = await published();
      const cache = scratchFolder();
      const { search, events } = await following(server, cache);
      const good = readFileSync(join(cache, 'skills.db'));
      await updateSkills({ database, rows: [row('later')], semantic: false });
      const lying = scratchFile('lying.db');
      copyFileSync(database, lying);
      changeIn(lying, sql);
      publishLie(folder, lying);
      await until(() => events.some(({ kind }) => kind === 'failed'));
      const error = expect.objectContaining({ code: 'INVALID_SNAPSHOT', message: expect.stringContaining(named) });
      expect(events).toContainEqual({ kind: 'failed', during: 'fetching', error });
      const chunks = chunksAsked(server);
      const looks = server.asked.length;
      await until(() => server.asked.length > looks + 3);
      expect(chunksAsked(server)).toBe(chunks);
      expect(readFileSync(join(cache, 'skills.db')).equals(good)).toBe(true);
      expect(events.filter(({ kind }) => kind === 'failed')).toHaveLength(1);
      rmSync(join(folder, 'manifest.json'));
      await publish();
      await until(() => search.get('later') !== undefined);
    },
  );

  test('fetches a chunk once, however often the files have it, and writes it as often', async () => {
    const { server } = await published();
    const repeated = Buffer.alloc(2 ** 20, 7);
    const digest = sha256Of(repeated);
    const { files, ...manifest } = readManifest(await (await fetch(server.address)).text(), 'test');
    const [catalogue] = files;
    const more = ['skills.db.keyword', 'skills.db.vectors'].map((name) => ({
      ...{ name, bytes: 20 * 2 ** 20, chunks: Array.from({ length: 20 }, () => digest) },
    }));
    server.instead = ({ url }, response) => {
      if (url === '/manifest.json') response.end(manifestText({ ...manifest, files: [catalogue!, ...more] }));
      else if (url === `/${chunkPath(digest)}`) response.end(repeated);
      else return false;
      return true;
    };
    const cache = scratchFolder();
    await (await openSkillSearch({ database: server.address, cache })).close();
    expect(server.asked.filter((one) => one.includes(digest))).toHaveLength(1);
    for (const { name } of more) {
      expect(readFileSync(join(cache, name)).equals(Buffer.alloc(20 * 2 ** 20, 7))).toBe(true);
    }
  });

  test('refuses chunks that are not what they are named', async () => {
    const { folder, server } = await published();
    const [digest] = readManifest(readFileSync(join(folder, 'manifest.json'), 'utf8'), folder).files[0]!.chunks;
    const path = join(folder, chunkPath(digest!));
    const bytes = readFileSync(path);
    bytes[500] = bytes[500]! ^ 1;
    writeFileSync(path, bytes);
    const cache = scratchFolder();
    expect(await codeOf(() => openSkillSearch({ database: server.address, cache }))).toBe('INVALID_SNAPSHOT');
    expect(existsSync(join(cache, 'skills.db'))).toBe(false);
  });

  test('continues a download that was interrupted', async () => {
    const { server } = await published();
    const cache = scratchFolder();
    let answered = 0;
    server.instead = (request, response) => {
      if (!request.url!.startsWith('/chunks/') || ++answered <= 2) return false;
      response.writeHead(500).end();
      return true;
    };
    expect(await codeOf(() => openSkillSearch({ database: server.address, cache }))).toBe('SNAPSHOT_NOT_AVAILABLE');
    server.instead = undefined;
    const before = chunksAsked(server);
    await (await openSkillSearch({ database: server.address, cache })).close();
    const chunks = new Set(manifestOf(server, cache).files.flatMap((file) => file.chunks)).size;
    expect(chunksAsked(server) - before).toBe(chunks - 2);
    expect(readdirSync(cache).filter((name) => name.includes('part'))).toEqual([]);
  });

  test('shares its folder with others: one fetches, all answer', async () => {
    const { database, server, publish } = await published();
    const cache = scratchFolder();
    const searches = await Promise.all([1, 2, 3].map(() => following(server, cache)));
    await updateSkills({ database, rows: [row('later')], semantic: false });
    await publish();
    for (const { search } of searches) await until(() => search.get('later') !== undefined);
  });
});

async function published(): Promise<Published> {
  const database = await largeCatalogue();
  const folder = scratchFolder();
  const publish = async (): Promise<void> => void (await writeSnapshot({ database, to: folder, prune: true }));
  await publish();
  return { database, folder, server: await serveFolder(folder), publish };
}

async function following(
  server: SnapshotServer,
  cache: string,
): Promise<{ readonly search: FollowedSearch; readonly events: ReloadEvent[] }> {
  const events: ReloadEvent[] = [];
  const search = closing(
    await followCatalogue({
      ...{ database: server.address, cache, interval: 20, snapshotInterval: 100 },
      onReload: (event) => void events.push(event),
    }),
  );
  return { search, events };
}

/** Chunks that were sent. */
function chunksAsked({ asked }: SnapshotServer): number {
  return asked.filter((one) => one.startsWith('200 /chunks/')).length;
}

function manifestOf(_: SnapshotServer, cache: string): Manifest {
  return readManifest(readFileSync(join(cache, 'skills.db.snapshot'), 'utf8'), cache);
}

function swapDigest(text: string, digest: string): string {
  const manifest = readManifest(text, 'test');
  const [first, ...others] = manifest.files;
  return manifestText({ ...manifest, files: [{ ...first!, chunks: [digest, ...first!.chunks.slice(1)] }, ...others] });
}

function changedStamp(text: string): string {
  return manifestText({ ...readManifest(text, 'test'), stamp: 'another' });
}
