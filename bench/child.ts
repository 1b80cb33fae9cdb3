import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** For peers, which hold all in V8's memory. */
export const LARGE_HEAP = ['--max-old-space-size=16384'] as const;

/**
 * Runs a script of this folder in a process of its own, so that its memory is its own: a job in, figures out, as JSON.
 */
export function runChild<T>(script: string, job: unknown, flags: readonly string[] = []): T {
  const output = execFileSync(process.execPath, [...flags, '--import', 'tsx', pathOf(script)], {
    input: JSON.stringify(job),
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  return JSON.parse(output);
}

/** A script of this folder that stays and is asked again and again; what is sent and answered goes over messages. */
export class AskedChild<Request, Reply> {
  readonly #process: ChildProcess;

  /** @param flags of Node */
  constructor(script: string, flags: readonly string[] = []) {
    this.#process = fork(pathOf(script), { execArgv: [...flags, '--import', 'tsx'] });
  }

  /** @throws where the process ends instead of answering */
  async ask(request: Request): Promise<Reply> {
    const stop = new AbortController();
    const { signal } = stop;
    try {
      const ended = once(this.#process, 'exit', { signal }).then(([code, name]) => {
        throw new Error(`the process ended (${name ?? code}) before it answered`);
      });
      ended.catch(() => {});
      this.#process.send(request as object);
      const [reply] = (await Promise.race([once(this.#process, 'message', { signal }), ended])) as [Reply];
      return reply;
    } finally {
      stop.abort();
    }
  }

  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill();
    await ended;
  }
}

/** Answers each message that comes from the parent. */
export function answerParent<Request, Reply>(answer: (request: Request) => Promise<Reply> | Reply): void {
  process.on('message', async (request: Request) => {
    const reply = await answer(request);
    process.send?.(reply);
  });
}

function pathOf(script: string): string {
  return fileURLToPath(new URL(script, import.meta.url));
}
