import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { openAccess } from '../../src/access/index.js';
import { buildCatalogue } from '../../src/index.js';
import { wholeRow } from '../../test/mcp/whole-skills.js';
import { startCommand, startCommandWithInput } from '../child-program.js';
import type { Trial, TrialContext } from '../trial.js';
import { oneOf } from '../trial.js';
import { portOf } from './shutdown.js';

const BIG = 15 * 2 ** 20;
/** Reads of big files that a client of standard input sends before it reads any answer. */
const READS = 100;
/** A process with the catalogue and the SDK takes some 200 MB, and more while it reads a file of 15 MiB. */
const MOST_MEGABYTES = 900;
/** Milliseconds that health may wait on a machine with much else to do. Without bounds it was half a minute. */
const LONGEST_WAIT = 5000;
/** Milliseconds before the first answer is read. */
const UNREAD = 1500;
/** Reads that a client sends at once. */
const AT_ONCE = 16;
const NEWLINE = 0x0a;

type Message = Readonly<Record<string, unknown>>;

export const MCP_READS: Trial = {
  name: 'mcp-reads',
  promise: 'Many big reads at once over MCP, and on standard input, stop no server and take bounded memory.',
  run: async ({ random, until, folder, say }: TrialContext) => {
    const database = join(folder, 'skills.db');
    await buildCatalogue({ database, sources: [ROWS], semantic: false });
    let attempts = 0;
    let longest = 0;
    let megabytes = 0;
    do {
      longest = Math.max(longest, await attackOverHttp(database, join(folder, `${attempts}.access.db`), random));
      if (longest > LONGEST_WAIT) throw new Error(`health was answered after ${Math.round(longest)} ms`);
      megabytes = Math.max(megabytes, await readMuch(database, random));
      if (megabytes > MOST_MEGABYTES) throw new Error(`${READS} reads on standard input took ${megabytes} MB`);
      attempts += 1;
      say(`${attempts} attacks, health within ${Math.round(longest)} ms, ${megabytes} MB`);
    } while (performance.now() < until);
    return { attempts, facts: { longest: Math.round(longest), megabytes } };
  },
};

const ROWS = [
  wholeRow({ id: 'text', name: 'text', files: { 'big.txt': 'to read '.repeat(BIG / 8) } }),
  // Each character is six in JSON.
  wholeRow({ id: 'marks', name: 'marks', files: { 'big.txt': '\u0001'.repeat(BIG) } }),
  wholeRow({ id: 'bytes', name: 'bytes', files: { 'big.bin': randomBytes(BIG) } }),
  ...Array.from({ length: 10 }, (_, i) => ({
    ...{ id: `part-${i}`, name: `part-${i}`, description: 'reads much' },
    files: [{ filename: 'notes.md', text: 'to read '.repeat(2 ** 17) }],
  })),
];
const FILES = ['text/text/big.txt', 'marks/marks/big.txt', 'bytes/bytes/big.bin'];

function bigRead(random: () => number, id: number): Message {
  const uri = `skill://${oneOf(random, FILES)}${oneOf(random, ['', '?offset=0', '?offset=14000000'])}`;
  return { jsonrpc: '2.0', id, method: 'resources/read', params: { uri } };
}

function costly(random: () => number, id: number): Message {
  const call = (name: string, args: object): Message => {
    return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
  };
  return oneOf(random, [
    bigRead(random, id),
    call('search_skills', { query: 'reads much', limit: 50 }),
    call('read_skill_file', { skill: 'text', path: 'big.txt', offset: 14_000_000 }),
    call('get_skill', { skill: 'part-1' }),
    { jsonrpc: '2.0', id, method: 'skills/list', params: {} },
  ]);
}

/**
 * Sends many reads at once, with a key and without.
 *
 * @returns the longest wait of health, in milliseconds
 */
async function attackOverHttp(database: string, state: string, random: () => number): Promise<number> {
  const access = openAccess({ state });
  const { key } = access.createKey();
  access.close();
  const quotas = ['--anonymous-daily', '0', '--anonymous-per-minute', '0', '--log-level', 'silent'];
  const child = startCommand(['serve', '--mcp', '--port', '0', '--database', database, '--state', state, ...quotas]);
  let longest = 0;
  let isOver = false;
  try {
    const url = `http://127.0.0.1:${await portOf(child.stdout)}`;
    const watched = (async () => {
      while (!isOver) {
        const began = performance.now();
        await (await fetch(`${url}/api/health`)).text();
        longest = Math.max(longest, performance.now() - began);
      }
    })();
    for (const headers of [{}, { Authorization: `Bearer ${key}` }]) {
      const asked = Array.from({ length: AT_ONCE }, (_, id) => post(url, costly(random, id), headers));
      for (const answer of await Promise.all(asked)) {
        if (!/"(?:result|error)":/.test(answer)) throw new Error(`no answer: ${answer.slice(0, 200)}`);
      }
    }
    isOver = true;
    await watched;
    return longest;
  } finally {
    isOver = true;
    child.kill('SIGKILL');
  }
}

/** From an address of its own where there is one: another client asks for health. */
async function post(url: string, body: unknown, headers: Readonly<Record<string, string>>): Promise<string> {
  const types = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const localAddress = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1';
  const sent = request(`${url}/mcp`, { method: 'POST', headers: { ...types, ...headers }, localAddress });
  sent.end(JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return text(response);
}

/**
 * Sends many reads to `mcp` at once, and reads none of the answers for a while.
 *
 * @returns the most memory of the process, in megabytes; 0 where the system does not tell
 */
async function readMuch(database: string, random: () => number): Promise<number> {
  const child = startCommandWithInput(['mcp', '--database', database, '--no-semantic', '--log-level', 'silent']);
  try {
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'trial', version: '1' } };
    const reads = Array.from({ length: READS }, (_, id) => costly(random, id));
    const asked = [{ jsonrpc: '2.0', id: 'first', method: 'initialize', params }, ...reads];
    for (const message of asked) child.stdin.write(`${JSON.stringify(message)}\n`);
    await setTimeout(UNREAD);
    let answers = 0;
    for await (const chunk of child.stdout) {
      for (const byte of chunk as Buffer) if (byte === NEWLINE) answers += 1;
      if (answers === asked.length) break;
    }
    if (answers !== asked.length) throw new Error(`mcp ended after ${answers} of ${asked.length} answers`);
    return process.platform === 'linux' ? mostMegabytes(child.pid!) : 0;
  } finally {
    child.kill('SIGKILL');
  }
}

function mostMegabytes(pid: number): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}
