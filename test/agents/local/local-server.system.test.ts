import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  askLocally,
  ensurePipeKey,
  LOCAL_LIMITS,
  localAddress,
  pipeName,
  readPipeKey,
  socketName,
} from '../../../src/agents/local/local-protocol.js';
import { LocalServer, type LocalServerOptions } from '../../../src/agents/local/local-server.js';
import { type Surroundings, surroundings, userFolders } from '../../../src/core/index.js';
import { scratchFolder } from '../../scratch-folder.js';

describe('local server', () => {
  const DATABASE = '/somewhere/skills.db';

  describe.skipIf(process.platform === 'win32')('a local server', () => {
    test('answers what another process of the user asks', async () => {
      const of = machine();
      await started({ of, answer: async (ask) => ({ asked: ask }) });
      expect(await ask(of, { words: 'pdf' })).toEqual({ asked: { words: 'pdf' } });
      expect(await ask(of, 'again')).toEqual({ asked: 'again' });
    });

    test('makes its folder and its socket for the user alone', async () => {
      const of = machine();
      await started({ of });
      const { run } = userFolders(of);
      expect(statSync(run).mode & 0o777).toBe(0o700);
      expect(readdirSync(run)).toEqual([socketName(nameOf(of))]);
      expect(statSync(socketOf(of)).mode & 0o777).toBe(0o600);
    });

    test('is not opened in a folder that others can reach, nor asked there', async () => {
      const of = machine();
      const server = await started({ of });
      expect(await ask(of, 1)).toBe(1);
      chmodSync(userFolders(of).run, 0o755);
      expect(await ask(of, 1)).toBeUndefined();
      await server.close();
      const second = await started({ of });
      expect(second.isListening).toBe(false);
    });

    test('replaces the socket that a killed process left behind', async () => {
      const of = machine();
      const path = socketOf(of);
      mkdirSync(userFolders(of).run, { recursive: true, mode: 0o700 });
      const program = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => console.log('listens'))`;
      const child = spawn(process.execPath, ['-e', program]);
      await once(child.stdout, 'data');
      child.kill('SIGKILL');
      await once(child, 'close');
      expect(existsSync(path)).toBe(true);
      expect(await ask(of, 1)).toBeUndefined();
      await started({ of });
      expect(await ask(of, 1)).toBe(1);
    });

    test('leaves the address to the process that has it, and takes it over when that ends', async () => {
      const of = machine();
      const first = await started({ of, answer: async () => 'first' });
      const second = await started({ of, answer: async () => 'second', interval: 10 });
      expect([first.isListening, second.isListening]).toEqual([true, false]);
      expect(await ask(of, 1)).toBe('first');
      await first.close();
      await expect.poll(() => ask(of, 1)).toBe('second');
    });

    test('removes its socket when it is closed, but not that of another process', async () => {
      const of = machine();
      const first = await started({ of });
      await first.close();
      expect(existsSync(socketOf(of))).toBe(false);
      const second = await started({ of });
      await first.close();
      expect(second.isListening).toBe(true);
      expect(await ask(of, 1)).toBe(1);
    });

    test('does not come back when it is closed while it looks who has its address', async () => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      onTestFinished(() => void vi.useRealTimers());
      const of = machine();
      const server = await started({ of, interval: 100 });
      rmSync(socketOf(of));
      vi.advanceTimersByTime(100);
      await server.close();
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(server.isListening).toBe(false);
      expect(readdirSync(userFolders(of).run)).toEqual([]);
    });

    test('refuses another version, another catalogue and what is not JSON, and goes on', async () => {
      const of = machine();
      await started({ of });
      const said = async (line: string): Promise<unknown> => JSON.parse(await say(socketOf(of), line));
      const request = { version: 1, database: DATABASE, ask: 1 };
      expect(await said(JSON.stringify({ ...request, version: 2 }))).toEqual({ version: 1, refused: 'NOT_UNDERSTOOD' });
      expect(await said('{')).toEqual({ version: 1, refused: 'NOT_UNDERSTOOD' });
      expect(await said(JSON.stringify({ ...request, database: '/other.db' }))).toEqual({
        version: 1,
        refused: 'OTHER_CATALOGUE',
      });
      expect(await said('x'.repeat(LOCAL_LIMITS.messageBytes + 1))).toEqual({ version: 1, refused: 'TOO_LONG' });
      expect(await said(JSON.stringify(request))).toEqual({ version: 1, answer: 1 });
    });

    test('tells of a failure its code only', async () => {
      const of = machine();
      await started({
        of,
        answer: async (ask) => {
          throw Object.assign(new Error(`cannot: ${String(ask)}`), ask === 'coded' ? { code: 'NO_VECTORS' } : {});
        },
      });
      const said = (ask: string): Promise<string> =>
        say(socketOf(of), JSON.stringify({ version: 1, database: DATABASE, ask }));
      expect(JSON.parse(await said('coded'))).toEqual({ version: 1, refused: 'NO_VECTORS' });
      expect(JSON.parse(await said('other'))).toEqual({ version: 1, refused: 'FAILED' });
      expect(await ask(of, 'coded')).toBeUndefined();
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

    test('closes a connection on which no question comes', async () => {
      const of = machine();
      await started({ of });
      const socket = connect(socketOf(of));
      await once(socket, 'close');
      expect(await ask(of, 1)).toBe(1);
    });

    test('does not keep its process alive', async () => {
      const folder = scratchFolder();
      const program = `
      const { LocalServer } = await import(${JSON.stringify(new URL('../../../src/agents/local/local-server.ts', import.meta.url).href)});
      const server = await LocalServer.start({ database: '/a.db', answer: async () => 1 });
      console.log(server.isListening);`;
      const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
        env: { ...process.env, XDG_RUNTIME_DIR: folder },
      });
      const out: string[] = [];
      child.stdout.on('data', (chunk) => out.push(String(chunk)));
      await once(child, 'close');
      expect([child.exitCode, out.join('')]).toEqual([0, 'true\n']);
    });

    test('is not trusted where its answer is of another version, or no line at all', async () => {
      const of = machine();
      mkdirSync(userFolders(of).run, { recursive: true, mode: 0o700 });
      let reply = JSON.stringify({ version: 2, answer: 1 });
      const other = createServer((socket) => socket.on('data', () => socket.end(`${reply}\n`)).on('error', () => {}));
      other.listen(socketOf(of));
      await once(other, 'listening');
      onTestFinished(() => void other.close());
      expect(await ask(of, 1)).toBeUndefined();
      reply = 'x'.repeat(LOCAL_LIMITS.messageBytes + 1);
      expect(await ask(of, 1)).toBeUndefined();
      reply = 'nothing';
      expect(await ask(of, 1)).toBeUndefined();
      reply = JSON.stringify({ version: 1, answer: 1 });
      expect(await ask(of, 1)).toBe(1);
    });

    test('that cannot be opened is none, without an error', async () => {
      const folder = scratchFolder();
      const of = surroundings({ env: { XDG_RUNTIME_DIR: join(folder, 'a file') }, home: folder });
      writeFileSync(join(folder, 'a file'), '');
      const server = await started({ of });
      expect(server.isListening).toBe(false);
      expect(await ask(of, 1)).toBeUndefined();
    });
  });

  describe('the address of a catalogue', () => {
    const of = (platform: NodeJS.Platform, home: string): Surroundings => ({ platform, home, env: {}, cwd: home });

    test('is 16 digits in the run folder of the user', () => {
      expect(localAddress(DATABASE, { ...of('linux', '/home/a'), env: { XDG_RUNTIME_DIR: '/run/user/7' } }, 7)).toEqual(
        {
          folder: '/run/user/7/skill-discovery',
          name: expect.stringMatching(/^[0-9a-f]{16}$/),
          isPipe: false,
        },
      );
      expect(localAddress('/other.db', of('linux', '/home/a'), 7).name).not.toBe(nameOf(of('linux', '/home/a')));
    });

    test('lies in the temporary folder where the path of a socket would be too long', () => {
      for (const platform of ['linux', 'darwin'] as const) {
        const { folder, name } = localAddress(DATABASE, of(platform, `/home/${'a'.repeat(80)}`), 7);
        expect(folder).toBe('/tmp/skill-discovery-7');
        expect(Buffer.byteLength(`${folder}/${socketName(name)}.4194304`)).toBeLessThan(104);
      }
      for (let length = 1; length < 100; length++) {
        const { folder, name } = localAddress(DATABASE, of('linux', `/home/${'é'.repeat(length)}`), 7);
        expect(Buffer.byteLength(`${folder}/${socketName(name)}.4194304`)).toBeLessThan(104);
      }
    });

    test('is a pipe on Windows, however long the path', () => {
      const long = `C:\\Users\\${'a'.repeat(80)}`;
      const { folder, isPipe } = localAddress(DATABASE, of('win32', long), undefined);
      expect([folder.startsWith(long), isPipe]).toEqual([true, true]);
    });
  });

  function machine(): Surroundings {
    const folder = scratchFolder();
    return { platform: process.platform, home: folder, env: { XDG_RUNTIME_DIR: folder }, cwd: folder };
  }

  function nameOf(of: Surroundings): string {
    return localAddress(DATABASE, of, process.getuid?.()).name;
  }

  function socketOf(of: Surroundings): string {
    return join(localAddress(DATABASE, of, process.getuid?.()).folder, socketName(nameOf(of)));
  }

  async function started(options: Partial<LocalServerOptions>): Promise<LocalServer> {
    const server = await LocalServer.start({ database: DATABASE, answer: async (ask) => ask, ...options });
    onTestFinished(() => server.close());
    return server;
  }

  function ask(of: Surroundings, asked: unknown, patience = 5000): Promise<unknown> {
    return askLocally({ database: DATABASE, ask: asked, patience, of });
  }

  /** Sends a line by hand. @returns what comes back until the connection ends */
  async function say(path: string, line: string): Promise<string> {
    const socket = connect(path);
    const chunks: string[] = [];
    socket.on('data', (chunk) => chunks.push(String(chunk)));
    socket.on('error', () => {});
    socket.write(`${line}\n`);
    await once(socket, 'close');
    return chunks.join('');
  }
});

describe('pipe key', () => {
  describe('the key of the names of pipes', () => {
    test('is made once, for the user alone, and read by all processes', () => {
      const folder = scratchFolder();
      expect(readPipeKey(folder)).toBeUndefined();
      const key = ensurePipeKey(folder)!;
      expect(key).toMatch(/^[0-9a-f]{32}$/);
      expect([ensurePipeKey(folder), readPipeKey(folder)]).toEqual([key, key]);
      if (process.platform !== 'win32') expect(statSync(join(folder, 'pipe-key')).mode & 0o777).toBe(0o600);
      expect(pipeName('0123456789abcdef', key)).toBe(String.raw`\\.\pipe\skill-discovery-0123456789abcdef-${key}`);
    });

    test('is none where the file has something else, or there is no folder', () => {
      const folder = scratchFolder();
      writeFileSync(join(folder, 'pipe-key'), String.raw`..\..\another`);
      expect(readPipeKey(folder)).toBeUndefined();
      expect(ensurePipeKey(join(folder, 'missing'))).toBeUndefined();
    });
  });
});
