import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Timed } from './starts.js';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));
const QUESTION = 'tell our users what changed since the last version';

/** What one `npm start` took, in milliseconds. */
interface NpmStart {
  /** From its start to the first answer by words. */
  readonly toAnswer: number;
  /** From asking to the answer of the first question by meaning, which is asked right after. */
  readonly byMeaning: number;
}

/** A copy of what `npm start` runs, so that the sample catalogue of the project stays as it is. */
export class SampleProject {
  readonly #folder: string = mkdtempSync(join(tmpdir(), 'bench-npm-start-'));

  constructor() {
    for (const name of ['package.json', 'scripts'])
      cpSync(join(PROJECT, name), join(this.#folder, name), { recursive: true });
    for (const name of ['data', 'dist', 'node_modules']) {
      symlinkSync(join(PROJECT, name), join(this.#folder, name), 'junction');
    }
  }

  /** What is timed, each in a start of its own. */
  get timed(): Timed {
    const loaded = async (): Promise<NpmStart> => {
      if (!readdirSync(this.#folder).includes('sample.db')) await this.#start();
      return this.#start();
    };
    return new Map([
      [
        '`npm start`, to its first answer by words: the sample is loaded',
        async () => (await this.#startAnew()).toAnswer,
      ],
      ['`npm start`, to its first answer by words: it was loaded before', async () => (await loaded()).toAnswer],
      ['`npm start`, the first question by meaning right after that', async () => (await loaded()).byMeaning],
    ]);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #startAnew(): Promise<NpmStart> {
    for (const name of readdirSync(this.#folder)) {
      if (name.startsWith('sample')) rmSync(join(this.#folder, name), { force: true });
    }
    return this.#start();
  }

  async #start(): Promise<NpmStart> {
    const started = performance.now();
    const words = ['start', '--', '--port', '0'];
    const npm = process.env['npm_execpath'];
    const [program, args] = npm === undefined ? ['npm', words] : [process.execPath, [npm, ...words]];
    const child = spawn(program, args, { cwd: this.#folder, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
    const said = saying(child.stdout);
    try {
      const [url] = await said(/http:\/\/[\w.:-]*\d/);
      await answerOf(`${url}/api/v1/skills/search?q=react`);
      const toAnswer = performance.now() - started;
      const [key] = await said(/sk_live_\w+/);
      const asked = performance.now();
      await answerOf(`${url}/api/v1/skills/ai-search?q=${encodeURIComponent(QUESTION)}`, key);
      return { toAnswer, byMeaning: performance.now() - asked };
    } finally {
      // Its whole group: npm ends at a signal before the server that it has started does.
      process.kill(-child.pid!, 'SIGTERM');
      await once(child, 'close');
    }
  }
}

/** @returns what waits until a stream has said something, from its start on */
function saying(stream: NodeJS.ReadableStream): (what: RegExp) => Promise<RegExpExecArray> {
  let text = '';
  stream.on('data', (chunk) => {
    text += String(chunk);
  });
  return (what) =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = what.exec(text);
        if (found !== null) resolve(found);
      };
      stream.on('data', look);
      stream.on('end', () => reject(new Error(`npm start said no ${what.source}: ${text}`)));
      look();
    });
}

async function answerOf(url: string, key?: string): Promise<void> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const answer = await fetch(url, { headers });
  if (!answer.ok) throw new Error(`${url} was answered ${answer.status}`);
  await answer.arrayBuffer();
}
