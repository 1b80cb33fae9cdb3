import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Surroundings, userFolders } from '../../src/core/index.js';
import {
  answerLocally,
  askLocally,
  LOCAL_LIMITS,
  type LocalServer,
  type LocalServerOptions,
} from '../../src/core/local-server.js';
import { closing, scratchFolder } from '../scratch-folder.js';

const DATABASE = '/somewhere/skills.db';

describe.skipIf(process.platform === 'win32')('a local server', () => {
  test('answers what another process of the user asks about its catalogue', async () => {
    const of = machine();
    await started({ of, answer: async (asked) => ({ asked }) });
    expect(await ask(of, { words: 'pdf' })).toEqual({ asked: { words: 'pdf' } });
    expect(await ask(of, 'again')).toEqual({ asked: 'again' });
    expect(await askLocally({ subject: '/other.db', ask: 1, patience: 5000, of })).toBeUndefined();
  });

  test('makes its folder for the user alone, and is not opened nor asked in one that others can reach', async () => {
    const of = machine();
    const { run } = userFolders(of);
    const server = await started({ of });
    expect(statSync(run).mode & 0o777).toBe(0o700);
    expect(await ask(of, 1)).toBe(1);
    chmodSync(run, 0o755);
    expect(await ask(of, 1)).toBeUndefined();
    await server.close();
    await started({ of });
    expect(readdirSync(run)).toEqual([]);
  });

  test('takes the place of a process that was killed', async () => {
    const of = machine();
    await (await started({ of })).close();
    const { run } = userFolders(of);
    const first = await started({ of });
    const [file] = readdirSync(run).filter((name) => !name.endsWith('.sock'));
    await first.close();
    writeFileSync(join(run, 'left.sock'), '');
    writeFileSync(join(run, file!), join(run, 'left.sock'));
    expect(await ask(of, 1)).toBeUndefined();
    await started({ of });
    expect(await ask(of, 1)).toBe(1);
    expect(readdirSync(run)).not.toContain('left.sock');
  });

  test('leaves the catalogue to the process that answers for it, and takes it over when that ends', async () => {
    const of = machine();
    const first = await started({ of, answer: async () => 'first' });
    const second = await started({ of, answer: async () => 'second', interval: 10 });
    expect(await ask(of, 1)).toBe('first');
    await first.close();
    await expect.poll(() => ask(of, 1)).toBe('second');
    await first.close();
    expect(await ask(of, 1)).toBe('second');
    await second.close();
    expect(readdirSync(userFolders(of).run)).toEqual([]);
  });

  test('goes on after a line that is too long, is not JSON, or cannot be answered', async () => {
    const of = machine();
    await started({
      of,
      answer: async (asked) => {
        if (asked === 'wrong') throw new Error('with a secret');
        return asked;
      },
    });
    expect(await say(of, 'x'.repeat(LOCAL_LIMITS.messageBytes + 1))).toBe('');
    expect(await say(of, '{')).toBe('');
    expect(await say(of, '"wrong"')).toBe('');
    expect(await ask(of, 'wrong')).toBeUndefined();
    expect(await say(of, '"right"')).toBe('"right"\n');
  });

  test('tells the answer that its client has gone', async () => {
    const of = machine();
    let signal: AbortSignal | undefined;
    await started({
      of,
      answer: (_, given) => {
        signal = given;
        return new Promise(() => {});
      },
    });
    expect(await ask(of, 1, 50)).toBeUndefined();
    await expect.poll(() => signal?.aborted).toBe(true);
  });

  test('listens in the temporary folder where the path of a socket would be too long', async () => {
    const of = machine(join(scratchFolder(), 'a'.repeat(100)));
    await started({ of });
    expect(await ask(of, 1)).toBe(1);
  });

  test('that cannot be opened is none, without an error', async () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, 'a file'), '');
    const of = machine(join(folder, 'a file'));
    await started({ of });
    expect(await ask(of, 1)).toBeUndefined();
  });
});

function machine(run: string = scratchFolder()): Surroundings {
  return { platform: process.platform, home: run, env: { XDG_RUNTIME_DIR: run }, cwd: run };
}

async function started(options: Partial<LocalServerOptions>): Promise<LocalServer> {
  return closing(await answerLocally({ subject: DATABASE, answer: async (asked) => asked, ...options }));
}

function ask(of: Surroundings, asked: unknown, patience = 5000): Promise<unknown> {
  return askLocally({ subject: DATABASE, ask: asked, patience, of });
}

/** Sends a line by hand. @returns what comes back until the connection ends */
async function say(of: Surroundings, line: string): Promise<string> {
  const { run } = userFolders(of);
  const [file] = readdirSync(run).filter((name) => !name.endsWith('.sock'));
  const socket = connect(readFileSync(join(run, file!), 'utf8'));
  const chunks: string[] = [];
  socket.on('data', (chunk) => chunks.push(String(chunk)));
  socket.on('error', () => {});
  socket.write(`${line}\n`);
  await once(socket, 'close');
  return chunks.join('');
}
