import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';

/** How the command line is started: a program of Node, and what stands before the words of the command. */
export type Command = readonly string[];

/** A process of the command line whose output goes into a file. */
export class Part {
  readonly #log: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | NodeJS.Signals>;

  constructor(command: Command, words: readonly string[], log: string) {
    this.#log = log;
    const output = openSync(log, 'a');
    this.#child = spawn(process.execPath, [...command, ...words], {
      stdio: ['ignore', output, output],
      env: { ...process.env, NO_COLOR: '1' },
    });
    closeSync(output);
    this.#ended = once(this.#child, 'exit').then(([code, signal]) => code ?? signal);
  }

  /** Its status, or the signal that ended it. */
  get ended(): Promise<number | NodeJS.Signals> {
    return this.#ended;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.#child.kill(signal);
    await this.#ended;
  }

  /** All that it, and processes before it with the same log, have written. */
  get written(): string {
    return readFileSync(this.#log, 'utf8');
  }

  /** The last lines of what it has written, as an error shows them. */
  lastLines(count = 12): string {
    return this.written.trimEnd().split('\n').slice(-count).join('\n');
  }
}
