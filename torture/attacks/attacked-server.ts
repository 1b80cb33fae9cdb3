import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The command of the sources. */
export const SOURCES: string = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const WATCH = new URL('../programs/watch-blocks.mjs', import.meta.url).href;
/** Milliseconds until a server has started: it may have a large catalogue to open, and look which skills it publishes. */
const LONGEST_START = 120_000;
/** Milliseconds until a server tells its blocks. One that has not told by then stands still. */
const LONGEST_SILENCE = 60_000;

/** A time without a turn of the event loop, in milliseconds. */
export interface Block {
  readonly clock: number;
  /** What the main thread itself ran in it: the rest was waiting for a processor. */
  readonly cpu: number;
  /** How much of it was collecting garbage. */
  readonly collecting: number;
}

/** `serve` as a process of its own, whose blocks and memory can be read. */
export class AttackedServer {
  readonly #child: ChildProcess;
  #errors = '';
  readonly port: number;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
    child.stderr!.on('data', (data: Buffer) => (this.#errors = (this.#errors + data).slice(-500)));
  }

  /**
   * @param program the built command; undefined for the sources
   * @param words what follows `serve`
   * @throws Error if it does not start
   */
  static async start(program: string | undefined, words: readonly string[]): Promise<AttackedServer> {
    const execArgv = [...(program === undefined ? ['--import', 'tsx'] : []), '--import', WATCH];
    const child = fork(program ?? SOURCES, ['serve', '--port', '0', '--log-level', 'silent', ...words], {
      execArgv,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    let errors = '';
    child.stderr!.on('data', (data: Buffer) => (errors = (errors + data).slice(-2000)));
    const told = new Promise<number>((resolve, reject) => {
      let text = '';
      child.stdout!.on('data', (data: Buffer) => {
        if (text.length < 10_000) text += data;
        const [, port] = / at http:\/\/[^:]+:(\d+),/.exec(text) ?? [];
        if (port !== undefined) resolve(Number(port));
      });
      child.once('exit', (status, signal) => reject(new Error(`the server ended by ${signal ?? status}: ${errors}`)));
      setTimeout(() => reject(new Error(`no start within ${LONGEST_START / 1000} s`)), LONGEST_START).unref();
    });
    try {
      return new AttackedServer(child, await told);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  /** Whether the process is there. */
  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Megabytes of physical memory now, and the most since {@link AttackedServer.forget}. */
  memory(): { readonly now: number; readonly most: number } {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    const [now, most] = ['VmRSS', 'VmHWM'].map((name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]));
    return { now: now! / 1024, most: most! / 1024 };
  }

  /** Begins to look anew for the longest block and the most memory. */
  async forget(): Promise<void> {
    await this.#ask('forget');
    // The mark of the most memory is set to what is taken now.
    writeFileSync(`/proc/${this.#child.pid}/clear_refs`, '5');
  }

  /** The longest blocks since {@link AttackedServer.forget}, the longest first. */
  blocks(): Promise<readonly Block[]> {
    return this.#ask('tell') as Promise<readonly Block[]>;
  }

  async end(): Promise<void> {
    if (!this.isRunning) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  #ask(message: 'forget' | 'tell'): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const child = this.#child;
      const settle = (act: () => void): void => {
        clearTimeout(timer);
        child.off('message', onMessage).off('exit', onExit);
        act();
      };
      const onMessage = (answer: unknown): void => settle(() => resolve(answer));
      const onExit = (status: number | null, signal: string | null): void =>
        settle(() => reject(new Error(`the server ended by ${signal ?? `status ${status}`}: ${this.#errors}`)));
      const timer = setTimeout(
        () => settle(() => reject(new Error(`the server has stood still for ${LONGEST_SILENCE / 1000} s`))),
        LONGEST_SILENCE,
      );
      child.on('message', onMessage).on('exit', onExit);
      if (!this.isRunning) onExit(child.exitCode, child.signalCode);
      else child.send(message);
    });
  }
}
