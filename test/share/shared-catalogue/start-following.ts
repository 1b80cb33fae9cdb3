import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const PROGRAM = fileURLToPath(new URL('following-program.ts', import.meta.url));

/** A process that follows a catalogue; killed when the test ends. */
export interface FollowingProcess {
  /** Kills it without a warning. */
  kill(): Promise<void>;
  /** Its exit status, once it has ended by itself. */
  ended(): Promise<number | null>;
}

/** Starts `following-program.ts`, and waits until it answers. */
export async function startFollowing(
  address: string,
  cache: string,
  what: 'stay' | 'end' = 'stay',
): Promise<FollowingProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, address, cache, what], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  await Promise.race([
    once(child.stdout, 'data'),
    ended.then(() => Promise.reject(new Error('the program ended instead of following'))),
  ]);
  return {
    kill,
    async ended() {
      await ended;
      return child.exitCode;
    },
  };
}
