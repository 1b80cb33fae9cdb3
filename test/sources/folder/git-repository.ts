import { execFileSync } from 'node:child_process';

/** Runs git apart from the configuration of this machine. */
export function git(folder: string, args: readonly string[], time = 1_000, input = ''): string {
  const who = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
  const when = { GIT_AUTHOR_DATE: `@${time} +0000`, GIT_COMMITTER_DATE: `@${time} +0000` };
  const apart = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
  const env = { ...process.env, ...who, ...when, ...apart };
  return execFileSync('git', ['-C', folder, ...args], { env, input, stdio: 'pipe' })
    .toString()
    .trim();
}

export function commit(folder: string, time: number): void {
  git(folder, ['add', '-A'], time);
  git(folder, ['commit', '-q', '--no-gpg-sign', '-m', 'x'], time);
}

export function repository(folder: string, remote?: string): void {
  git(folder, ['init', '-q']);
  if (remote !== undefined) git(folder, ['remote', 'add', 'origin', remote]);
}
