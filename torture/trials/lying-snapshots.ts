import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildCatalogue, updateSkills, writeSnapshot } from '../../src/index.js';
import { chunkPath, manifestText } from '../../src/share/snapshot/manifest.js';
import { Database } from '../../src/store/sqlite.js';
import { startCommand } from '../child-program.js';
import { randomInteger, type Trial } from '../trial.js';

const CHUNK_BYTES = 2 ** 20;
/** Milliseconds in which the server must answer or end, on a machine that has other work. */
const PATIENCE = 30_000;

const ENDLESS = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS key, i AS value FROM n';
const LIES = [
  `DROP TABLE meta; CREATE VIEW meta AS ${ENDLESS}`,
  `DROP VIEW skill; DROP TABLE revision; CREATE VIEW revision AS ${ENDLESS}`,
  `CREATE TRIGGER more AFTER INSERT ON meta BEGIN ${ENDLESS}; END`,
  'CREATE INDEX more ON revision (length(zeroblob(stars)))',
  'ALTER TABLE revision ADD COLUMN more AS (length(zeroblob(stars)))',
  'CREATE VIRTUAL TABLE more USING fts5 (a)',
];

export const LYING_SNAPSHOTS: Trial = {
  name: 'lying-snapshots',
  promise:
    'A server over a snapshot whose files lie goes on with the state that it has, takes the next one that is right, and ends when it is told to.',
  begin: async ({ random, folder }) => {
    const database = join(folder, 'skills.db');
    const site = join(folder, 'site');
    const rows = Array.from({ length: 300 }, (_, i) => ({ id: `s${i}`, name: `s${i}`, description: `alpha ${i}` }));
    await buildCatalogue({ database, sources: [{ name: 'rows', rows }], semantic: false });
    await writeSnapshot({ database, to: site });
    const asked = new Map<string, number>();
    const web = createServer(({ url = '/' }, response) => {
      asked.set(url, (asked.get(url) ?? 0) + 1);
      try {
        response.end(readFileSync(join(site, url)));
      } catch {
        response.writeHead(404).end();
      }
    }).listen(0, '127.0.0.1');
    await once(web, 'listening');
    const address = `http://127.0.0.1:${(web.address() as AddressInfo).port}/manifest.json`;
    const words = ['--anonymous-daily', '0', '--anonymous-per-minute', '0', '--log-level', 'silent'];
    const cache = ['--cache', join(folder, 'cache'), '--look-every', '1'];
    const child = startCommand(['serve', '--port', '0', '--database', address, ...cache, ...words]);
    const server = addressOf(child.stdout);
    const attempt = async (number: number): Promise<undefined> => {
      const kind = randomInteger(random, LIES.length + 2);
      await isServed(await server, 's1');
      publish(site, lyingFile(folder, database, kind, random), kind === LIES.length ? 100 : 1);
      await untilAsked(asked, 3);
      await isServed(await server, 's1');
      const id = `later-${number}`;
      await updateSkills({ database, rows: [{ id, name: id, description: 'alpha' }], semantic: false });
      rmSync(join(site, 'manifest.json'));
      await writeSnapshot({ database, to: site });
      await isServed(await server, id);
    };
    const end = async (): Promise<void> => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      try {
        await within(async () => child.exitCode !== null, 'it did not end');
        await ended;
      } finally {
        child.kill('SIGKILL');
        web.closeAllConnections();
        web.close();
      }
    };
    return { facts: {}, attempt, end };
  },
};

/** A catalogue with another schema, or with an inner page whose children are all the same. */
function lyingFile(folder: string, database: string, kind: number, random: () => number): string {
  const path = join(folder, 'lying.db');
  copyFileSync(database, path);
  const sql = LIES[kind];
  if (sql !== undefined) {
    const connection = new Database(path);
    // Files of the skills refer to the tables that are dropped.
    connection.pragma('foreign_keys = OFF');
    connection.exec(sql);
    connection.close();
    return path;
  }
  const bytes = readFileSync(path);
  const pageBytes = bytes.readUInt16BE(16);
  const inner = Array.from({ length: bytes.length / pageBytes - 1 }, (_, i) => (i + 1) * pageBytes).filter(
    (at) => bytes[at] === 2 || bytes[at] === 5,
  );
  const page = bytes.subarray(inner[randomInteger(random, inner.length)] ?? bytes.length);
  for (let i = 0; page.length > 0 && i < page.readUInt16BE(3); i++) {
    page.writeUInt32BE(page.readUInt32BE(8), page.readUInt16BE(12 + 2 * i));
  }
  writeFileSync(path, bytes);
  return path;
}

/** @param times how often each chunk is named */
function publish(site: string, file: string, times: number): void {
  const bytes = readFileSync(file);
  const whole = Buffer.concat([bytes, Buffer.alloc(CHUNK_BYTES - (bytes.length % CHUNK_BYTES))]);
  const chunks: string[] = [];
  for (let at = 0; at < whole.length; at += CHUNK_BYTES) {
    const chunk = whole.subarray(at, at + CHUNK_BYTES);
    const digest = createHash('sha256').update(chunk).digest('hex');
    mkdirSync(dirname(join(site, chunkPath(digest))), { recursive: true });
    writeFileSync(join(site, chunkPath(digest)), chunk);
    for (let i = 0; i < times; i++) chunks.push(digest);
  }
  const files = [{ name: 'skills.db', bytes: times * whole.length, chunks }];
  const manifest = { stamp: `lie-${Date.now()}`, written: new Date().toISOString(), chunkBytes: CHUNK_BYTES, files };
  writeFileSync(join(site, 'manifest.json'), manifestText(manifest));
}

async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(output)) {
    const [address] = /http:\/\/[\d.:]+/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error('the server ended before it listened');
}

/** Waits until the server has looked at the manifest a few times more. */
async function untilAsked(asked: ReadonlyMap<string, number>, times: number): Promise<void> {
  const looks = (): number => asked.get('/manifest.json') ?? 0;
  const before = looks();
  await within(async () => looks() >= before + times, 'the server looks at the manifest no more');
}

/** Waits until a skill is found. */
async function isServed(server: string, id: string): Promise<void> {
  await within(async () => {
    const answer = await fetch(`${server}/api/v1/skills/search?q=${id}`, { signal: AbortSignal.timeout(PATIENCE) });
    return (await answer.text()).includes(`"${id}"`);
  }, `${id} is not found`);
}

async function within(holds: () => Promise<boolean>, problem: string): Promise<void> {
  for (const began = performance.now(); !(await holds()); ) {
    if (performance.now() - began > PATIENCE) throw new Error(problem);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
