import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { sha256Of } from '../../../src/core/index.js';
import { buildCatalogue } from '../../../src/index.js';
import { CHUNK_BYTES, chunkPath, manifestText } from '../../../src/share/snapshot/manifest.js';
import { type Row, row } from '../../rows.js';
import { scratchFile } from '../../scratch-folder.js';

let built: Promise<ReadonlyMap<string, Buffer>> | undefined;

/** A catalogue of 400 skills without vectors, of which each file has several chunks. It is built once. */
export async function largeCatalogue(): Promise<string> {
  built ??= build();
  const database = scratchFile('skills.db');
  for (const [name, bytes] of await built) writeFileSync(join(dirname(database), name), bytes);
  return database;
}

async function build(): Promise<ReadonlyMap<string, Buffer>> {
  const folder = mkdtempSync(join(tmpdir(), 'skill-discovery-'));
  try {
    const sources = [{ name: 'rows', rows: manyRows() }];
    await buildCatalogue({ database: join(folder, 'skills.db'), semantic: false, sources });
    return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Texts that do not get much smaller when they are packed, of words that many of them have. */
function* manyRows(): Generator<Row> {
  let state = 1;
  for (let i = 0; i < 400; i++) {
    let text = '';
    for (let word = 0; word < 2500; word++) {
      state = (state * 48_271) % 2_147_483_647;
      text += `${((state % 7919) * 46_656).toString(36)} `;
    }
    yield { ...row(`skill-${i}`), files: [{ filename: 'SKILL.md', text }] };
  }
}

/** Writes a snapshot of a file that is no catalogue, as no `writeSnapshot` does. */
export function publishLie(folder: string, file: string): void {
  const bytes = readFileSync(file);
  const chunks: string[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    const chunk = bytes.subarray(at, at + CHUNK_BYTES);
    const digest = sha256Of(chunk);
    const path = join(folder, chunkPath(digest));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, chunk);
    chunks.push(digest);
  }
  const files = [{ name: 'skills.db', bytes: bytes.length, chunks }];
  const written = new Date().toISOString();
  const text = manifestText({ stamp: `lie-${chunks[0]!.slice(0, 8)}`, written, chunkBytes: CHUNK_BYTES, files });
  writeFileSync(join(folder, 'manifest.json'), text);
}

/** A plain web server over a folder: it names the state of a file by its text, as `ETag`. */
export interface SnapshotServer {
  readonly address: string;
  /** The paths that were asked for, each with the status of its answer. */
  readonly asked: string[];
  /** What answers in place of the folder; undefined for the folder. Returns whether it has answered. */
  instead: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  stop(): Promise<void>;
}

export async function serveFolder(folder: string, port = 0): Promise<SnapshotServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    response.on('finish', () => asked.push(`${response.statusCode} ${path}`));
    if (served.instead?.(request, response) === true) return;
    readFile(join(folder, path)).then(
      (body) => {
        const tag = `"${sha256Of(body)}"`;
        const isKnown = request.headers['if-none-match'] === tag;
        response.writeHead(isKnown ? 304 : 200, { ETag: tag }).end(isKnown ? undefined : body);
      },
      () => response.writeHead(404).end(),
    );
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(stop);
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/manifest.json`;
  const served: SnapshotServer = { address, asked, instead: undefined, stop };
  return served;
}
