import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../project-copy.js';
import { scratchFolder } from '../scratch-folder.js';

const STAND_IN = join(PROJECT, 'scripts', 'skip-cuda');
const RUNTIME = join(PROJECT, 'node_modules', 'onnxruntime-node');

/** Instead of the network: says that it was asked. Pretends to be a system for which there is something to download. */
const NO_NETWORK = `
  const fail = () => { console.log('asked the network'); process.exit(1); };
  Object.assign(require('node:https'), { get: fail, request: fail });
  Object.assign(require('node:os'), { platform: () => 'linux', arch: () => 'x64' });
`;

/** Runs the installer of the model runtime as npm does. */
function install(env: Readonly<Record<string, string>> = {}): { status: number | null; stdout: string } {
  const modules = join(scratchFolder(), 'node_modules');
  const runtime = join(modules, 'onnxruntime-node');
  mkdirSync(runtime, { recursive: true });
  cpSync(join(RUNTIME, 'package.json'), join(runtime, 'package.json'));
  cpSync(join(RUNTIME, 'script'), join(runtime, 'script'), { recursive: true });
  symlinkSync(join(PROJECT, 'node_modules', 'adm-zip'), join(modules, 'adm-zip'), 'junction');
  cpSync(STAND_IN, join(modules, 'global-agent'), { recursive: true });
  const guard = join(modules, 'no-network.cjs');
  writeFileSync(guard, NO_NETWORK);
  const clean = { PATH: process.env['PATH'] ?? '', ...env };
  const words = ['--require', guard, join(runtime, 'script', 'install.js')];
  return spawnSync(process.execPath, words, { encoding: 'utf8', env: clean, cwd: runtime });
}

test.skipIf(!existsSync(RUNTIME))('the stand-in keeps the installer of the model runtime from downloading', () => {
  expect(install()).toMatchObject({ status: 0, stdout: '' });
});

test.skipIf(!existsSync(RUNTIME))('who asks for the libraries gets them', () => {
  expect(install({ ONNXRUNTIME_NODE_INSTALL: 'cuda12' })).toMatchObject({ status: 1, stdout: 'asked the network\n' });
});

test('the lock file has the stand-in, and no configuration of npm makes it warn', () => {
  const { packages } = JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8'));
  expect(packages['node_modules/global-agent']).toMatchObject({ link: true, resolved: 'scripts/skip-cuda' });
  expect(existsSync(join(PROJECT, '.npmrc'))).toBe(false);
});

test('no page tells of the option that makes npm warn', () => {
  for (const page of ['docs/library.md', 'docs/operations.md', 'docs/dependencies.md']) {
    expect(readFileSync(join(PROJECT, page), 'utf8')).not.toContain('--onnxruntime-node-install');
  }
});
