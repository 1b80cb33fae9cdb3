import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { installed, packageIn } from './installations.js';
import { permanentFolder } from './permanent-folder.js';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const PACKAGE = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as {
  exports: Record<string, string | { types: string }>;
};
const ENTRIES = Object.entries(PACKAGE.exports).flatMap(([path, target]) =>
  typeof target === 'string' ? [] : [path.replace('.', 'skill-discovery')],
);

const folder = permanentFolder();

/** What the compiler says of a program in a folder where the package and the types of Node are all there is. */
function compile(program: string): string {
  writeFileSync(join(folder, 'program.ts'), program);
  const { stdout, status } = tsc(['-p', folder]);
  return status === 0 ? '' : stdout;
}

function tsc(words: readonly string[]): { stdout: string; status: number | null } {
  const compiler = join(PROJECT, 'node_modules', 'typescript', 'bin', 'tsc');
  return spawnSync(process.execPath, [compiler, ...words], { cwd: PROJECT, encoding: 'utf8' });
}

beforeAll(() => {
  // Copied, so that the compiler finds no types of the packages that it needs.
  const place = join(folder, 'node_modules', 'skill-discovery');
  for (const part of ['package.json', 'dist']) {
    cpSync(join(packageIn(installed), part), join(place, part), { recursive: true });
  }
  mkdirSync(join(folder, 'node_modules', '@types'));
  symlinkSync(join(PROJECT, 'node_modules', '@types', 'node'), join(folder, 'node_modules', '@types', 'node'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const compilerOptions = {
    target: 'ES2022',
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    types: ['node'],
    strict: true,
    skipLibCheck: false,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    noImplicitOverride: true,
    verbatimModuleSyntax: true,
    noEmit: true,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
});

test('the package has an entry for each of its parts', () => {
  expect(ENTRIES).toEqual([
    'skill-discovery',
    'skill-discovery/http',
    'skill-discovery/access',
    'skill-discovery/agents',
    'skill-discovery/evaluation',
    'skill-discovery/install',
    'skill-discovery/installed',
  ]);
});

test('the types of each entry need no types but those of Node, for a strict program', () => {
  const program = `
    ${ENTRIES.map((entry, i) => `import * as entry${i} from '${entry}';\nconsole.log(entry${i});`).join('\n')}
    import { buildCatalogue, openSkillSearch, SkillSearchError, type Skill } from 'skill-discovery';
    import { openAccess, type Access } from 'skill-discovery/access';
    import { startServer } from 'skill-discovery/http';
    import { evaluate, readBenchmark } from 'skill-discovery/evaluation';
    import { inspectInstalled, installedSkillFolders, type InstalledOptions } from 'skill-discovery/installed';

    await buildCatalogue({ database: 'skills.db', sources: ['./skills'] });
    await using search = await openSkillSearch({ database: 'skills.db' });
    const found: Skill | undefined = search.keyword({ q: 'pdf' }).hits[0]?.skill;
    const access: Access = openAccess({ state: 'access.db' });
    const server = await startServer(search, { access });
    const { modes } = await evaluate({ benchmark: await readBenchmark('b'), search });
    if (modes.length === 0) throw new SkillSearchError('INVALID_OPTION', server.url + found?.name);
  `;
  expect(compile(program)).toBe('');
});

test('the compiler checks the types of packages in this folder', () => {
  const types = join(folder, 'node_modules', 'broken', 'index.d.ts');
  mkdirSync(join(types, '..'));
  writeFileSync(join(types, '..', 'package.json'), '{ "name": "broken", "types": "./index.d.ts" }');
  writeFileSync(types, "import type { Database } from 'better-sqlite3';\nexport declare const database: Database;\n");
  expect(compile("import { database } from 'broken';\nconsole.log(database);\n")).toContain("'better-sqlite3'");
});
