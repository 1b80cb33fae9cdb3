import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { checkSource, type RawRow, type ReadOptions, readSource, type SourceItem } from '../../src/sources/index.js';

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

/** A folder with these files, removed when the test ends. */
export async function temporaryFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'catalogue-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFiles(folder, files);
  return folder;
}

export async function writeFiles(folder: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
}

/** Everything a source yields, and what it threw in the end. */
export async function readAll(
  source: string,
  options: ReadOptions = {},
): Promise<{ items: SourceItem[]; error: unknown }> {
  const items: SourceItem[] = [];
  try {
    for await (const item of readSource(await checkSource(source), options)) items.push(item);
  } catch (error) {
    return { items, error };
  }
  return { items, error: undefined };
}

export function rowsOf(items: readonly SourceItem[]): RawRow[] {
  return items.filter((item) => item.kind === 'row');
}

/** A row of a folder source, as far as tests look at it. */
export interface FolderValue {
  readonly name: string;
  readonly description: string;
  readonly author: string;
  readonly codehostUrl: string;
  readonly skillUrl: string;
  readonly updatedAt: number;
  readonly categories: readonly string[];
  readonly occupations: readonly string[];
  readonly files: readonly { readonly filename: string; readonly text: string }[];
}

export function rowValue(row: RawRow | undefined): FolderValue {
  return row?.value as FolderValue;
}
