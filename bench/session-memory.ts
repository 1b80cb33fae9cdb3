import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

/** Memory of a process, in MB: all that is resident, and with what is shared divided by those that share it. */
export interface SessionMemory {
  readonly rss: number;
  readonly pss: number;
}

/** Milliseconds until a session does nothing any more. */
const QUIET = 3000;

/**
 * The memory of sessions of `mcp` over one catalogue, started one after the other: when each has searched by words, and
 * when each has asked by meaning. Linux only. Needs a build.
 */
export async function sessionMemory(
  database: string,
  count: number,
): Promise<Record<'words' | 'meaning', SessionMemory[]>> {
  const sessions = Array.from({ length: count }, () => new Session(database));
  for (const session of sessions) await session.start();
  const after = async (by: string): Promise<SessionMemory[]> => {
    for (const session of sessions) await session.search(by);
    await sleep(QUIET);
    return sessions.map((session) => session.memory());
  };
  const memory = { words: await after('words'), meaning: await after('both') };
  for (const session of sessions) session.end();
  return memory;
}

class Session {
  readonly #child;
  readonly #lines;
  #id = 0;

  constructor(database: string) {
    const words = [MAIN, 'mcp', '--database', database];
    this.#child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'ignore'] });
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
  }

  async start(): Promise<void> {
    const clientInfo = { name: 'bench', version: '1' };
    await this.#ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    this.#child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    await sleep(QUIET);
  }

  search(by: string): Promise<void> {
    const query = 'fill in a PDF form. Then send it by mail to all of them.';
    return this.#ask('tools/call', { name: 'search_skills', arguments: { query, by } });
  }

  memory(): SessionMemory {
    const text = readFileSync(`/proc/${this.#child.pid}/smaps_rollup`, 'utf8');
    const of = (name: string): number => Number(new RegExp(`^${name}: +(\\d+)`, 'm').exec(text)?.[1]) / 1024;
    return { rss: of('Rss'), pss: of('Pss') };
  }

  end(): void {
    this.#child.stdin.end();
  }

  async #ask(method: string, params: object): Promise<void> {
    this.#id += 1;
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: this.#id, method, params })}\n`);
    for (;;) {
      const { value = '' } = await this.#lines.next();
      const answer = JSON.parse(value) as { readonly id?: number };
      if (answer.id === this.#id) return;
    }
  }
}
