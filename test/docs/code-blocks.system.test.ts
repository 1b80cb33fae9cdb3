import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scratchFolder } from '../scratch-folder.js';
import { codeBlocksOf, PROJECT, readPage } from './pages.js';

const PAGES = ['README.md', 'docs/library.md', 'docs/http.md', 'docs/evaluation.md', 'docs/tuning.md'];

/** A block that uses a search without opening one goes on from the block that does. */
const OPENED = "declare const search: import('skill-discovery').SkillSearch;\n";

test('the TypeScript of the pages compiles against the sources', { timeout: 120_000 }, () => {
  const folder = scratchFolder();
  const files: string[] = [];
  for (const page of PAGES) {
    for (const { line, language, code } of codeBlocksOf(readPage(page))) {
      if (language !== 'ts') continue;
      const opens = /\bsearch = await\b/.test(code) || !/\bsearch\./.test(code);
      const name = `${page.replaceAll('/', '-')}-${line}.ts`;
      writeFileSync(join(folder, name), `${opens ? '' : OPENED}${code}\nexport {};\n`);
      files.push(name);
    }
  }
  expect(files.length).toBeGreaterThan(10);
  const settings = {
    extends: join(PROJECT, 'tsconfig.json'),
    compilerOptions: {
      noUnusedLocals: false,
      typeRoots: [join(PROJECT, 'node_modules/@types')],
      paths: {
        'skill-discovery': [join(PROJECT, 'src/index.ts')],
        'skill-discovery/agents': [join(PROJECT, 'src/agents/formats/index.ts')],
        'skill-discovery/install': [join(PROJECT, 'src/agents/install/install-skills.ts')],
        'skill-discovery/installed': [join(PROJECT, 'src/sources/installed/index.ts')],
        'skill-discovery/*': [join(PROJECT, 'src/*/index.ts')],
      },
    },
    files,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const compiler = join(PROJECT, 'node_modules/typescript/bin/tsc');
  const { stdout, status } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
  expect(stdout).toBe('');
  expect(status).toBe(0);
});
