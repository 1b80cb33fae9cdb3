import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { codeBlocksOf, readPage } from '../docs/pages.js';
import { PROJECT } from '../project-copy.js';
import { scratchFolder } from '../scratch-folder.js';
import { permanentFolder } from './permanent-folder.js';

const MODULES = join(PROJECT, 'node_modules');
const EXTERNALS = ['better-sqlite3', 'hnswlib-node', 'onnxruntime-node'];
const PROGRAM = `
  import { buildCatalogue, openSkillSearch } from 'skill-discovery';
  import { startServer } from 'skill-discovery/http';

  const rows = [
    { name: 'release-notes', description: 'Turns the git history between two tags into a changelog.' },
    { name: 'pdf-forms', description: 'Fills in PDF forms.' },
  ];
  const { added, embedded, warnings } = await buildCatalogue({ database: process.argv[2], sources: [rows] });
  await using search = await openSkillSearch({ database: process.argv[2] });
  const [word] = search.keyword({ q: 'pdf' }).hits;
  const [meaning] = (await search.semantic({ q: 'announce what is new since the last version' })).hits;
  const server = await startServer(search, { port: 0, access: false });
  const { status } = await fetch(server.url + '/api/v1/skills/search?q=pdf');
  await server.close();
  console.log(JSON.stringify([added, embedded, warnings, word.skill.name, meaning.skill.name, status]));
`;
const SAID = '[2,2,[],"pdf-forms","release-notes",200]\n';

/** The commands of the page: the one that leaves the package out, and those that take it in. */
const [LEFT_OUT = '', TAKEN_IN = ''] = codeBlocksOf(readPage('docs/library.md'))
  .map(({ code }) => code)
  .filter((code) => code.includes('npx esbuild'));

/** Has the package built and installed, and a program that uses it. */
const project = permanentFolder();
const installed = join(project, 'node_modules', 'skill-discovery');

beforeAll(() => {
  mkdirSync(installed, { recursive: true });
  cpSync(join(PROJECT, 'package.json'), join(installed, 'package.json'));
  symlinkSync(join(PROJECT, 'data'), join(installed, 'data'));
  const words = [join(MODULES, 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json', '--outDir'];
  const { stdout } = spawnSync(process.execPath, [...words, join(installed, 'dist')], {
    cwd: PROJECT,
    encoding: 'utf8',
  });
  expect(stdout).toBe('');
  for (const name of packagesOf(MODULES)) link(name, installed);
  writeFileSync(join(project, 'app.js'), PROGRAM);
});

describe.skipIf(process.platform === 'win32')('a program in a bundle', () => {
  test('that leaves the package out runs where that is installed', () => {
    bundle(LEFT_OUT);
    expect(run(join(project, 'build', 'app.js'))).toEqual({ status: 0, stdout: SAID, stderr: '' });
  });

  test('with the package in it runs where only the packages with compiled parts are', () => {
    bundle(TAKEN_IN);
    const elsewhere = scratchFolder();
    cpSync(join(project, 'build', 'app'), join(elsewhere, 'build', 'app'), { recursive: true });
    symlinkSync(join(project, 'data'), join(elsewhere, 'data'));
    for (const name of EXTERNALS) link(name, elsewhere);
    expect(run(join(elsewhere, 'build', 'app', 'app.js'))).toEqual({ status: 0, stdout: SAID, stderr: '' });

    // Without the threads it ends with an error that names the file.
    rmSync(join(elsewhere, 'build', 'app', 'model-thread.js'));
    const { status, stdout, stderr } = run(join(elsewhere, 'build', 'app', 'app.js'), 'other.db');
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/EMBEDDER_FAILED/);
    expect(stderr).toMatch(/model-thread\.js/);
  });
});

/** Runs the commands of the page, with the esbuild of this project. */
function bundle(commands: string): void {
  const esbuild = join(MODULES, '.bin', 'esbuild');
  const script = `set -e\n${commands.replace('npx esbuild', `"${esbuild}" --log-level=warning`)}`;
  const { status, stdout, stderr } = spawnSync('sh', ['-c', script], { cwd: project, encoding: 'utf8' });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
}

function run(program: string, database = 'skills.db'): { status: number | null; stdout: string; stderr: string } {
  const cwd = join(program, '..');
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, database], { cwd, encoding: 'utf8' });
  return { status, stdout, stderr };
}

function link(name: string, folder: string): void {
  const path = join(folder, 'node_modules', name);
  mkdirSync(join(path, '..'), { recursive: true });
  symlinkSync(join(MODULES, name), path, 'junction');
}

function packagesOf(modules: string): string[] {
  return readdirSync(modules).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(modules, name)).map((inside) => `${name}/${inside}`) : [name],
  );
}
