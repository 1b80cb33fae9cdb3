import { spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where Chromium is, or why there is none. */
export type Found = { readonly path: string } | { readonly path: undefined; readonly reason: string };

/** What Chromium is called, in the order in which it is looked for. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/**
 * Finds the Chromium of this machine: `CHROMIUM_PATH`, else what is on `PATH`. A program of that name that cannot say
 * its version counts as none: some systems have a stand-in there that only says what to install.
 *
 * @throws {Error} if `CHROMIUM_PATH` names something else: whoever sets it wants these tests
 */
export function findChromium(environment: NodeJS.ProcessEnv = process.env): Found {
  const { CHROMIUM_PATH: chosen, PATH: path = '' } = environment;
  if (chosen !== undefined && chosen !== '') {
    if (isChromium(chosen)) return { path: chosen };
    throw new Error(`CHROMIUM_PATH must be the path of Chromium or Chrome, got ${chosen}`);
  }
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  const programs = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).filter(isProgram);
  const found = programs.find(isChromium);
  if (found !== undefined) return { path: found };
  const seen = programs.length === 0 ? '' : ` (${programs.join(', ')} cannot say a version)`;
  return { path: undefined, reason: `none of ${NAMES.join(', ')} on PATH${seen}, and no CHROMIUM_PATH` };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isChromium(path: string): boolean {
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 20_000 });
  return /^(Chromium|Google Chrome) \d/.test(stdout ?? '');
}
