import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { codeBlocksOf, readPage } from '../docs/pages.js';
import { PROJECT } from '../project-copy.js';
import { scratchFolder } from '../scratch-folder.js';
import type { Installation } from './install.js';
import { describeOnEachNode, runProgram } from './installations.js';
import { permanentFolder } from './permanent-folder.js';

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

describeOnEachNode('a program in a bundle', (installation) => {
  const project = permanentFolder();

  beforeAll(() => {
    symlinkSync(join(installation.folder, 'node_modules'), join(project, 'node_modules'), 'junction');
    writeFileSync(join(project, 'app.js'), PROGRAM);
  });

  test('that leaves the package out runs where that is installed', () => {
    bundle(LEFT_OUT, project);
    expect(run(installation, join(project, 'build', 'app.js'))).toEqual({ status: 0, out: SAID, error: '' });
  });

  test('with the package in it runs where only the packages with compiled parts are', () => {
    bundle(TAKEN_IN, project);
    const elsewhere = scratchFolder();
    for (const part of ['build', 'data']) cpSync(join(project, part), join(elsewhere, part), { recursive: true });
    mkdirSync(join(elsewhere, 'node_modules'));
    for (const name of EXTERNALS) {
      symlinkSync(join(installation.folder, 'node_modules', name), join(elsewhere, 'node_modules', name), 'junction');
    }
    const app = join(elsewhere, 'build', 'app', 'app.js');
    expect(run(installation, app)).toEqual({ status: 0, out: SAID, error: '' });

    // Without the threads it ends with an error that names the file.
    rmSync(join(elsewhere, 'build', 'app', 'model-thread.js'));
    const { status, out, error } = run(installation, app, 'other.db');
    expect([status, out]).toEqual([1, '']);
    expect(error).toMatch(/EMBEDDER_FAILED/);
    expect(error).toMatch(/model-thread\.js/);
  });
});

/** Runs the commands of the page, with the esbuild of this project. */
function bundle(commands: string, project: string): void {
  const esbuild = join(PROJECT, 'node_modules', '.bin', 'esbuild');
  const script = `set -e\n${commands.replace('npx esbuild', `"${esbuild}" --log-level=warning`)}`;
  const { status, stdout, stderr } = spawnSync('sh', ['-c', script], { cwd: project, encoding: 'utf8' });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
}

function run(installation: Installation, program: string, database = 'skills.db'): ReturnType<typeof runProgram> {
  return runProgram(installation, [program, database], {}, join(program, '..'));
}
