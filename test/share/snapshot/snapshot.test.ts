import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sha256Of } from '../../../src/core/index.js';
import { buildCatalogue, updateSkills, writeSnapshot } from '../../../src/index.js';
import { chunkPath, type Manifest, manifestText, readManifest } from '../../../src/share/snapshot/manifest.js';
import { Origin } from '../../../src/share/snapshot/origin.js';
import { codeOf } from '../../error-code.js';
import { row } from '../../rows.js';
import { scratchFile, scratchFolder } from '../../scratch-folder.js';
import { largeCatalogue, serveFolder } from './snapshots.js';

const DIGEST = 'a'.repeat(64);
const LAST = 'b'.repeat(64);
const MANIFEST: Manifest = {
  stamp: 'abc',
  written: '2026-01-02T03:04:05.000Z',
  chunkBytes: 10,
  files: [
    { name: 'skills.db', bytes: 25, chunks: [DIGEST, DIGEST, LAST] },
    { name: 'skills.db.keyword', bytes: 10, chunks: [DIGEST] },
  ],
};

describe('a manifest', () => {
  test('is read as it was written', () => {
    expect(readManifest(manifestText(MANIFEST), 'here')).toEqual(MANIFEST);
  });

  test.each([
    ['no JSON', '{'],
    ['null', 'null'],
    ['another kind of file', '{"kind":"other"}'],
    ['a later format', changed({ format: 2 })],
    ['a stamp that is no text', changed({ stamp: 5 })],
    ['no date', changed({ written: 'soon' })],
    ['chunks of no bytes', changed({ chunkBytes: 0 })],
    ['chunks of half a byte', changed({ chunkBytes: 0.5 })],
    ['no list of files', changed({ files: {} })],
    ['no files', changed({ files: [] })],
    ['no catalogue', changed({ files: [MANIFEST.files[1]] })],
    ['a file twice', changed({ files: [MANIFEST.files[0], MANIFEST.files[0]] })],
    ['a file elsewhere', changed({ files: [MANIFEST.files[0], { ...MANIFEST.files[1], name: '../evil' }] })],
    ['too few chunks', changed({ files: [{ ...MANIFEST.files[0], chunks: [DIGEST] }] })],
    ['a negative size', changed({ files: [{ ...MANIFEST.files[0], bytes: -1, chunks: [] }] })],
    ['a chunk that is a path', changed({ files: [{ ...MANIFEST.files[1], name: 'skills.db', chunks: ['../x'] }] })],
    ['a file that is null', changed({ files: [null] })],
    ['more lists than any has', changed({ more: Array.from({ length: 100 }, () => []) })],
    ['a chunk of two sizes', changed({ files: [{ ...MANIFEST.files[0], chunks: [DIGEST, DIGEST, DIGEST] }] })],
  ])('is refused if it is %s', async (_, text) => {
    expect(await codeOf(() => readManifest(text, 'here'))).toBe('INVALID_SNAPSHOT');
  });

  /** @param names how often each chunk is named, of 16 MiB each */
  function ofChunks(names: readonly number[], last = 0): string {
    const chunkBytes = 16 * 2 ** 20;
    const chunks = names.flatMap((times, i) => Array.from({ length: times }, () => i.toString(16).padStart(64, '0')));
    if (last > 0) chunks.push('f'.repeat(64));
    const bytes = chunkBytes * chunks.length - (last > 0 ? chunkBytes - last : 0);
    return changed({ chunkBytes, files: [{ name: 'skills.db', bytes, chunks }] });
  }

  test('may repeat as many bytes as its chunks have, and 64 MiB, and no chunk more', () => {
    expect(readManifest(ofChunks([6]), 'here').files[0]?.chunks).toHaveLength(6);
    expect(() => readManifest(ofChunks([7]), 'here')).toThrow(
      'here is not the manifest of a snapshot: its files have 117440512 bytes, and its 1 different chunks 16777216: at most 100663296 fit',
    );
    expect(readManifest(ofChunks([8, 2, 2, 1, 1]), 'here').files[0]?.chunks).toHaveLength(14);
    expect(() => readManifest(ofChunks([9, 2, 2, 1, 1]), 'here')).toThrow(/its 5 different chunks/);
  });

  test('of 64 GiB is read, and of a byte more it is refused', () => {
    const all = Array.from({ length: 4096 }, () => 1);
    expect(readManifest(ofChunks(all), 'here').files[0]?.bytes).toBe(64 * 2 ** 30);
    expect(() => readManifest(ofChunks(all, 1), 'here')).toThrow(
      'its files have 68719476737 bytes, more than 68719476736',
    );
  });
});

function changed(change: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ ...JSON.parse(manifestText(MANIFEST)), ...change });
}

describe('a snapshot', () => {
  test('holds every byte of a catalogue and its derived files, in chunks that are what they are named', async () => {
    const database = await largeCatalogue();
    const to = join(scratchFolder(), 'deep', 'folder');
    const report = await writeSnapshot({ database, to });
    const manifest = manifestIn(to);
    expect(manifest.files.map(({ name }) => name)).toEqual(['skills.db', 'skills.db.keyword']);
    for (const { name, chunks } of manifest.files) {
      expect(chunks.length).toBeGreaterThan(1);
      const parts = chunks.map((digest) => readFileSync(join(to, chunkPath(digest))));
      expect(parts.map((part) => sha256Of(part))).toEqual(chunks);
      const whole = readFileSync(database + name.slice('skills.db'.length));
      expect(Buffer.concat(parts).equals(whole)).toBe(true);
    }
    expect(report).toMatchObject({ manifest: join(to, 'manifest.json'), written: report.chunks, pruned: 0 });
  });

  test('after a small change writes only the chunks that the change touched', async () => {
    const database = await largeCatalogue();
    const to = scratchFolder();
    const first = await writeSnapshot({ database, to });
    await updateSkills({ database, rows: [row('later')], semantic: false });
    const second = await writeSnapshot({ database, to });
    expect(second.written).toBeGreaterThan(0);
    expect(second.written).toBeLessThan(first.written);
  });

  test.each([
    ['was cut off', (whole: Buffer) => whole.subarray(0, 100)],
    [
      'has lost a bit',
      (whole: Buffer) => Buffer.concat([whole.subarray(0, 99), Buffer.from([whole[99]! ^ 1]), whole.subarray(100)]),
    ],
  ])('mends a chunk that %s', async (_, damaged) => {
    const database = await largeCatalogue();
    const to = scratchFolder();
    await writeSnapshot({ database, to });
    const path = join(to, chunkPath(manifestIn(to).files[0]!.chunks[0]!));
    const whole = readFileSync(path);
    writeFileSync(path, damaged(whole));
    expect(await writeSnapshot({ database, to })).toMatchObject({ written: 1 });
    expect(readFileSync(path).equals(whole)).toBe(true);
  });

  test('deletes chunks when asked, but those of the snapshot before it stay, and so do files of others', async () => {
    const database = scratchFile('skills.db');
    const to = scratchFolder();
    const stored: string[][] = [];
    for (const name of ['first', 'second', 'third']) {
      await buildCatalogue({ database, semantic: false, prune: true, sources: [{ name: 'rows', rows: [row(name)] }] });
      await writeSnapshot({ database, to });
      stored.push(manifestIn(to).files.flatMap(({ chunks }) => chunks));
    }
    writeFileSync(join(to, 'chunks', 'note.txt'), 'not ours');
    const { pruned } = await writeSnapshot({ database, to, prune: true });
    const [first, second, third] = stored.map((digests) =>
      digests.filter((one) => existsSync(join(to, chunkPath(one)))),
    );
    expect(third).toEqual(stored[2]);
    expect(second).toEqual(stored[1]);
    expect(first!.length).toBe(stored[0]!.length - pruned);
    expect(pruned).toBeGreaterThan(0);
    expect(readFileSync(join(to, 'chunks', 'note.txt'), 'utf8')).toBe('not ours');
  });

  test('is refused into a folder whose manifest is something else, and touches nothing of it', async () => {
    const to = scratchFolder();
    writeFileSync(join(to, 'manifest.json'), '{"name":"an app"}');
    expect(await codeOf(async () => writeSnapshot({ database: await largeCatalogue(), to }))).toBe(
      'SNAPSHOT_NOT_WRITABLE',
    );
    expect(readdirSync(to)).toEqual(['manifest.json']);
  });

  test('is written by one at a time', async () => {
    const [database, to] = [await largeCatalogue(), scratchFolder()];
    const codes = await Promise.all([1, 2].map(() => codeOf(() => writeSnapshot({ database, to }))));
    expect(codes.sort()).toEqual(['LOAD_IN_PROGRESS', 'no error']);
    expect(await codeOf(() => writeSnapshot({ database, to }))).toBe('no error');
  });

  test('is refused into what is a file, and of what is no catalogue', async () => {
    const database = await largeCatalogue();
    const file = scratchFile('file');
    writeFileSync(file, '');
    expect(await codeOf(() => writeSnapshot({ database, to: file }))).toBe('SNAPSHOT_NOT_WRITABLE');
    expect(await codeOf(() => writeSnapshot({ database: file, to: scratchFolder() }))).toBe('NOT_A_CATALOGUE');
    mkdirSync(`${file}-folder`);
    expect(await codeOf(() => writeSnapshot({ database: `${file}-none`, to: scratchFolder() }))).toBe(
      'DATABASE_NOT_FOUND',
    );
    expect(await codeOf(() => writeSnapshot({ database: 'https://example.org/manifest.json', to: file }))).toBe(
      'INVALID_OPTION',
    );
  });
});

function manifestIn(folder: string): Manifest {
  return readManifest(readFileSync(join(folder, 'manifest.json'), 'utf8'), folder);
}

const CHUNK = Buffer.alloc(200_000, 7);
const signal = new AbortController().signal;

describe('what a server of a snapshot does wrong is said in a sentence', () => {
  test('an answer that trickles is given up, and asked for once more', async () => {
    let asked = 0;
    const origin = await originThat((response) => {
      asked += 1;
      const timer = setInterval(() => response.write('a'), 10);
      response.on('close', () => clearInterval(timer));
    });
    const fetching = origin.chunk(sha256Of(CHUNK), CHUNK.length, signal);
    await expect(fetching).rejects.toMatchObject({
      code: 'SNAPSHOT_NOT_AVAILABLE',
      message: expect.stringMatching(
        /^cannot fetch the snapshot at \S+: (nothing|only \d+ bytes?) came within 0\.2 seconds$/,
      ),
    });
    expect(asked).toBe(2);
  });

  test('an answer that is compressed though it was asked not to be', async () => {
    const origin = await originThat((response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('{}'));
    });
    await expect(origin.manifest(undefined, signal)).rejects.toThrow(
      'sends it compressed, with Content-Encoding: gzip',
    );
  });

  test('an answer that breaks off', async () => {
    const origin = await originThat((response) => {
      response.writeHead(200, { 'Content-Length': '1000' }).write('{');
      setTimeout(() => response.destroy(), 50);
    });
    await expect(origin.manifest(undefined, signal)).rejects.toThrow(': the connection broke off');
  });

  test.each([
    ['https', 'HTTP/1.1 400 Bad Request\r\n\r\n', 'does not speak https'],
    ['http', '\u0015\u0003\u0003\u0000\u0002\u0002\u0016', 'does not speak http:'],
  ])('%s asked of what speaks something else', async (scheme, answer, message) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(answer, 'latin1'));
    });
    const origin = originAt(`${scheme}://127.0.0.1:${await portOf(server)}/manifest.json`, 5000);
    await expect(origin.manifest(undefined, signal)).rejects.toThrow(message);
  });

  test('a port that nothing listens at', async () => {
    const server = createServer();
    const port = await portOf(server);
    server.close();
    await once(server, 'close');
    const origin = originAt(`http://localhost:${port}/manifest.json`, 5000);
    await expect(origin.manifest(undefined, signal)).rejects.toThrow('nothing listens there');
  });
});

test('an answer that comes fast enough is read to its end, though it takes long', async () => {
  const origin = await originThat(async (response) => {
    for (let i = 0; i < 20; i++) {
      response.write(CHUNK.subarray(i * 10_000, (i + 1) * 10_000));
      await wait(30);
    }
    response.end();
  });
  expect(await origin.chunk(sha256Of(CHUNK), CHUNK.length, signal)).toEqual(CHUNK);
});

test('an answer that is being read ends with the reason of its signal', async () => {
  const reason = new Error('enough');
  const closing = new AbortController();
  const origin = await originThat((response) => {
    response.write('a');
    setTimeout(() => closing.abort(reason), 50);
  }, 5000);
  await expect(origin.chunk(sha256Of(CHUNK), CHUNK.length, closing.signal)).rejects.toBe(reason);
});

/** @param time in which enough of an answer must come, in milliseconds */
async function originThat(answer: (response: ServerResponse) => void, time = 200): Promise<Origin> {
  const server = await serveFolder(scratchFolder());
  server.instead = (_, response) => {
    answer(response);
    return true;
  };
  return originAt(server.address, time);
}

function originAt(address: string, time: number): Origin {
  return new Origin(address, time);
}

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}
