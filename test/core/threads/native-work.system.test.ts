import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PROJECT } from '../../project-copy.js';
import { scratchFile } from '../../scratch-folder.js';

/** Exits as soon as a thread, `depth` threads below, is in native code. */
const PROGRAM = `
  import { startWorker } from './src/core/index.js';
  const [file, depth] = process.argv.slice(1);
  const base = new URL('test/core/threads/x.ts', 'file://' + process.cwd() + '/').href;
  const worker = startWorker(base, 'example-native-thread', { workerData: { file, depth: Number(depth) } });
  worker.ref();
  worker.once('message', () => process.exit(3));
`;

test.each([0, 1])('a process that exits waits for native code and lets none begin, %i threads down', (depth) => {
  const file = scratchFile('notes.txt');
  const words = ['--import', 'tsx', '--input-type=module', '--eval', PROGRAM, file, String(depth)];
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: PROJECT, encoding: 'utf8' });
  expect([stderr, status, readFileSync(file, 'utf8')]).toEqual(['', 3, 'done\n']);
});
