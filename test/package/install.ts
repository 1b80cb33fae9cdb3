import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { PROJECT } from '../project-copy.js';

/** The package, installed from its tarball in a folder of its own, for one version of Node. */
export interface Installation {
  /** Its version of Node, as `v22.1.0`. */
  readonly version: string;
  /** The program of that version. */
  readonly node: string;
  /** The folder that has it in its `node_modules`. */
  readonly folder: string;
  /** Why it is not there; then its tests are skipped. */
  readonly missing?: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly installations: readonly Installation[];
  }
}

/**
 * Versions beside the one that runs the tests, where CI does: installing them takes minutes. npm has them as packages,
 * with their headers.
 */
const OTHER_VERSIONS = process.env['CI'] === undefined ? [] : ['22.23.3', '24.21.0'];

const COMPILED = {
  'better-sqlite3': 'build/Release/better_sqlite3.node',
  'hnswlib-node': 'build/Release/addon.node',
};
type Compiled = keyof typeof COMPILED;

const QUIET = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts'];

const run = promisify(execFile);

/** Packs the project, which builds it, and installs the tarball for each version of Node. */
export async function setup(project: TestProject): Promise<() => void> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'skill-discovery-package-')));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', root], { cwd: PROJECT });
  // Before it stands what the build prints.
  const [{ filename }] = JSON.parse(stdout.slice(stdout.lastIndexOf('\n[\n') + 1)) as [{ filename: string }];
  const tarball = join(root, filename);
  const own = installForThisNode(root, tarball);
  const others = OTHER_VERSIONS.filter((version) => !process.version.startsWith(`v${version.split('.')[0]}.`));
  project.provide('installations', await Promise.all([own, ...others.map((one) => installFor(one, root, tarball))]));
  return () => rmSync(root, { recursive: true, force: true });
}

async function installForThisNode(root: string, tarball: string): Promise<Installation> {
  const folder = await install(root, process.version, tarball);
  for (const name of Object.keys(COMPILED) as Compiled[]) copyCompiled(name, folder);
  return { version: process.version, node: process.execPath, folder };
}

async function installFor(number: string, root: string, tarball: string): Promise<Installation> {
  const version = `v${number}`;
  const home = join(root, `node-${version}`);
  const name = `node-${process.platform}-${process.arch}`;
  const from = join(home, 'node_modules', name);
  const node = join(from, 'bin', 'node');
  try {
    mkdirSync(home);
    await run('npm', ['install', ...QUIET, `${name}@${number}`], { cwd: home });
  } catch (error) {
    return { version, node, folder: home, missing: `npm has no ${name}@${number} for us: ${(error as Error).message}` };
  }
  const folder = await install(root, version, tarball);
  // It calls the interface of Node that stays the same between versions.
  copyCompiled('hnswlib-node', folder);
  const env = {
    ...process.env,
    PATH: [dirname(node), process.env['PATH']].join(delimiter),
    npm_config_nodedir: from,
  };
  await run('npm', ['rebuild', 'better-sqlite3'], { cwd: folder, env });
  return { version, node, folder };
}

/** As a user does, but for install scripts: what they compile comes later. */
async function install(root: string, version: string, tarball: string): Promise<string> {
  const folder = join(root, `app-${version}`);
  mkdirSync(folder);
  const manifest = { private: true, type: 'module', allowScripts: { 'better-sqlite3': true } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  await run('npm', ['install', ...QUIET, tarball], { cwd: folder });
  return folder;
}

/** What `npm ci` has compiled or fetched for the project. */
function copyCompiled(name: Compiled, folder: string): void {
  const file = join('node_modules', name, COMPILED[name]);
  cpSync(join(PROJECT, file), join(folder, file));
}
