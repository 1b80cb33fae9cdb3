import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';

/** Limits of a call of git. */
export interface GitLimits {
  /** In milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Settings that override the repository's own configuration. That comes from strangers, and several of its keys name
 * programs that git would start.
 */
const SAFE_SETTINGS = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'diff.external=',
  'log.showSignature=false',
  'log.follow=false',
  'log.mailmap=false',
  'protocol.allow=never',
  'safe.bareRepository=explicit',
].flatMap((setting) => ['-c', setting]);

/**
 * Runs git in a repository, without a shell. Git does not inherit the caller's git variables, fetches nothing, prompts
 * for nothing, and starts no program that the repository's configuration names.
 *
 * @param onPiece called with each NUL-terminated piece of the output
 * @throws Error if git is missing, fails or takes too long
 * @throws the signal's reason when aborted
 */
export function runGit(
  repository: string,
  args: readonly string[],
  onPiece: (piece: string) => void,
  { timeout, signal }: GitLimits,
): Promise<void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = spawn('git', ['--no-pager', ...SAFE_SETTINGS, '-C', repository, ...args], {
      env: gitEnvironment(repository),
      stdio: ['ignore', 'pipe', 'ignore'],
      windowsHide: true,
    });
    let failure: unknown;
    const stop = (reason: unknown): void => {
      failure ??= reason;
      child.kill('SIGKILL');
      // A helper process of git could keep the pipe open, and then 'close' would not come.
      child.stdout.destroy();
    };
    const onAbort = (): void => stop(signal?.reason);
    const timer = setTimeout(() => stop(new Error(`git took longer than ${timeout} ms`)), timeout);
    signal?.addEventListener('abort', onAbort, { once: true });
    const settle = (error: unknown): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      if (error === undefined) resolve();
      else reject(error);
    };

    let rest: Buffer = Buffer.alloc(0);
    child.stdout.on('data', (chunk: Buffer) => {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let start = 0;
      for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, start)) {
        onPiece(bytes.toString('utf8', start, end));
        start = end + 1;
      }
      rest = bytes.subarray(start);
    });
    child.on('error', settle);
    child.on('close', (code) => {
      settle(failure ?? (code === 0 ? undefined : new Error(`git ended with ${code}`)));
    });
  });
}

function gitEnvironment(repository: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.toUpperCase().startsWith('GIT_'));
  return {
    ...Object.fromEntries(inherited),
    LC_ALL: 'C',
    // In the repository, settings like protocol.ext.allow override protocol.allow. This overrides both.
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_EXTERNAL_DIFF: '',
    // If .git is not a repository, git must not use one above it.
    GIT_CEILING_DIRECTORIES: dirname(repository),
  };
}
