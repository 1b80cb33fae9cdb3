import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProcess } from '../../cli/run-process.js';
import { projectWithPart } from '../../project-copy.js';
import { row, toJsonLines } from '../../rows.js';
import { scratchFolder } from '../../scratch-folder.js';

const ROWS = toJsonLines([row('a')]);

/** The project with better-sqlite3 as `npm install --ignore-scripts` leaves it. */
function unbuilt(): { project: string; installed: string } {
  return projectWithPart('better-sqlite3', ['package.json', 'lib']);
}

test('without the compiled part of better-sqlite3 each command says in one line what to run', async () => {
  const { project } = unbuilt();
  const folder = scratchFolder();
  for (const words of [
    ['load', '-', '--no-semantic', '--database', join(folder, 'skills.db')],
    ['keys', 'create', '--state', join(folder, 'access.db')],
  ]) {
    const { status, out, error } = await runProcess(words, ROWS, { project });
    expect([status, out]).toEqual([1, '']);
    expect(error).toMatch(/^error: the compiled part of better-sqlite3 is missing: .+\n$/);
    expect(error).toContain('`npm rebuild better-sqlite3`');
    expect(error).toContain('`onlyBuiltDependencies` in pnpm-workspace.yaml');
    expect(error).toContain('`pnpm approve-builds`');
    // The package lists thirteen paths where it looked.
    expect(error).not.toContain('→');
  }
});

test('a program gets a code', async () => {
  const { project } = unbuilt();
  const program = join(project, 'program.ts');
  writeFileSync(
    program,
    `import { openSkillSearch } from './src/index.js';
     import { openAccess } from './src/access/index.js';
     const codeOf = async (call) => { try { await call(); return 'none'; } catch (error) { return error.code; } };
     const opened = await codeOf(() => openSkillSearch({ skills: [] }));
     console.log(opened, await codeOf(() => openAccess({ state: ':memory:' })));`,
  );
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', program], { encoding: 'utf8' });
  expect([stdout, stderr]).toEqual(['MISSING_BINDING MISSING_BINDING\n', '']);
});

test('a compiled part that does not fit is told apart', async () => {
  const { project, installed } = unbuilt();
  const release = join(installed, 'build', 'Release');
  mkdirSync(release, { recursive: true });
  writeFileSync(join(release, 'better_sqlite3.node'), 'made for another system');
  const { status, error } = await runProcess(
    ['load', '-', '--no-semantic', '--database', join(scratchFolder(), 'skills.db')],
    ROWS,
    { project },
  );
  expect(status).toBe(1);
  expect(error).toMatch(/^error: the compiled part of better-sqlite3 does not fit this Node or this system \(.+\)\. /);
  expect(error).toContain('`npm rebuild better-sqlite3`');
});
