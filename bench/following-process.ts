import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { CopyJob, CopyNews } from './shared-copies-child.js';

/** A process that follows the catalogue. */
export class FollowingProcess {
  readonly #process = fork(fileURLToPath(new URL('shared-copies-child.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
  });
  /** The time to start a process is none of it. */
  readonly #started = this.#next('started');

  /** Opens the catalogue, and asks a question. */
  async answers(job: CopyJob): Promise<void> {
    await this.#started;
    const answered = this.#next('answered');
    this.#process.send(job);
    await answered;
  }

  /** Waits until a skill is there. */
  finds(id: string): Promise<void> {
    const found = this.#next('found');
    this.#process.send({ id });
    return found;
  }

  async end(): Promise<void> {
    const exit = once(this.#process, 'exit');
    this.#process.disconnect();
    await exit;
  }

  async #next(kind: CopyNews): Promise<void> {
    const [news] = (await once(this.#process, 'message')) as [CopyNews];
    if (news !== kind) throw new Error(`${news} came in place of ${kind}`);
  }
}
