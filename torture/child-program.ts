import { type ChildProcess, type ChildProcessByStdio, fork, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** A program of `torture/programs/` that answers one message after the other, in a process that may die of it. */
export class ChildProgram {
  readonly #child: ChildProcess;
  /** Resolved when the program has prepared what it needs. That may take long on a busy machine. */
  readonly ready: Promise<void>;
  #errors = '';

  /** @param name of the file, without its ending */
  constructor(name: string, args: readonly string[]) {
    const script = fileURLToPath(new URL(`programs/${name}.ts`, import.meta.url));
    const execArgv = ['--import', 'tsx', '--max-old-space-size=512'];
    this.#child = fork(script, [...args], { execArgv, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    this.#child.stderr?.on('data', (data: Buffer) => {
      this.#errors = (this.#errors + data).slice(-4000);
    });
    this.ready = new Promise((resolve, reject) => {
      this.#child.once('message', () => resolve());
      this.#child.once('exit', () => reject(new Error(`the process ended before it began: ${this.#errors}`)));
    });
    // The first question tells.
    this.ready.catch(() => {});
  }

  /**
   * Sends a message and waits for the answer.
   *
   * @throws Error if the process ends, or does not answer in time
   */
  async ask<Answer>(message: unknown, milliseconds = 120_000): Promise<Answer> {
    await this.ready;
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        this.#child.removeAllListeners('message').removeAllListeners('exit');
        settle();
      };
      const timer = setTimeout(() => {
        this.#child.kill('SIGKILL');
        end(() => reject(new Error(`no answer within ${milliseconds / 1000} s`)));
      }, milliseconds);
      this.#child.once('message', (answer) => end(() => resolve(answer as Answer)));
      this.#child.once('exit', (code, signal) =>
        end(() => reject(new Error(`the process ended by ${signal ?? `status ${code}`}: ${this.#errors}`))),
      );
      this.#child.send(message as object, (error) => error !== null && end(() => reject(error)));
    });
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }
}

/** Says that the program of a {@link ChildProgram} is ready, and answers its messages, one at a time. */
export function answerMessages(answer: (message: unknown) => Promise<unknown>): void {
  process.on('message', async (message) => process.send?.(await answer(message)));
  process.on('disconnect', () => process.exit());
  process.send?.('ready');
}

const MAIN = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));

/** Starts the command line as a process of its own. What it says on standard error is shown. */
export function startCommand(words: readonly string[]): ChildProcessByStdio<null, Readable, null> {
  return spawn(process.execPath, ['--import', 'tsx', MAIN, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
}
