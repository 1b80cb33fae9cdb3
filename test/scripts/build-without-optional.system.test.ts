import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT, projectWithout } from '../project-copy.js';

test('the library is built where npm left out the optional packages, as without a compiler', () => {
  const project = projectWithout('hnswlib-node');
  for (const name of ['onnxruntime-node', '@modelcontextprotocol/server']) {
    rmSync(join(project, 'node_modules', name));
  }
  for (const file of ['tsconfig.json', 'tsconfig.build.json']) cpSync(join(PROJECT, file), join(project, file));

  const compiler = join(PROJECT, 'node_modules', 'typescript', 'bin', 'tsc');
  const words = [compiler, '-p', 'tsconfig.build.json'];
  const { status, stdout } = spawnSync(process.execPath, words, { cwd: project, encoding: 'utf8' });
  expect([stdout, status]).toEqual(['', 0]);
  for (const file of ['semantic/model-thread.js', 'mcp/server.js']) {
    expect(existsSync(join(project, 'dist', file))).toBe(true);
  }
});
