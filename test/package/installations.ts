import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { describe, inject } from 'vitest';
import type { Installation } from './install.js';

const installations: readonly Installation[] = inject('installations') ?? [];

/** That of the Node that runs the tests. */
export const installed: Installation = installations[0]!;

/** Describes what holds on every version of Node. */
export function describeOnEachNode(name: string, body: (installation: Installation) => void): void {
  for (const installation of installations) {
    const { version, missing } = installation;
    describe.skipIf(missing !== undefined)(`${name}, on Node ${version}${missing ? ` (${missing})` : ''}`, () =>
      body(installation),
    );
  }
}

/** The folder of the installed package. */
export function packageIn({ folder }: Installation): string {
  return join(folder, 'node_modules', 'skill-discovery');
}

/** The command, as npm links it. */
export function commandIn({ folder }: Installation): string {
  return join(folder, 'node_modules', '.bin', 'skill-discovery');
}

/** An environment where nothing of this machine is found but this version of Node, with a home in a folder. */
export function environment({ node }: Installation, home: string): Record<string, string> {
  return {
    PATH: [dirname(node), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
    HOME: home,
    XDG_DATA_HOME: join(home, 'data'),
    XDG_CACHE_HOME: join(home, 'cache'),
    FORCE_COLOR: '0',
  };
}

/** Runs the command until it ends, in a folder that is its home, too. */
export function runCommand(
  installation: Installation,
  words: readonly string[],
  { cwd, input = '' }: { readonly cwd: string; readonly input?: string },
): { readonly status: number | null; readonly out: string; readonly error: string } {
  const env = environment(installation, cwd);
  return captured(spawnSync(commandIn(installation), words, { cwd, env, input, encoding: 'utf8' }));
}

/** Runs a program in the folder of the installation until it ends. */
export function runProgram(
  { node, folder }: Installation,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = folder,
): { readonly status: number | null; readonly out: string; readonly error: string } {
  return captured(spawnSync(node, words, { cwd, env: { ...process.env, ...env }, encoding: 'utf8' }));
}

function captured({ status, stdout, stderr, error }: SpawnSyncReturns<string>) {
  if (error !== undefined) throw error;
  return { status, out: stdout, error: stderr };
}
