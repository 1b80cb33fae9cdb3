import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const HANDLE = new URL('../../src/semantic/local-embedder.ts', import.meta.url).href;

// As in an installation without the model runtime: the first of several threads fails, and the others are closed
// before they have told that they failed, too.
test('a process outlives threads that fail after they were closed', async () => {
  const program = `
    import { ModelThread } from ${JSON.stringify(HANDLE)};
    const thread = new ModelThread({
      path: '/nowhere', weights: 'none.onnx', settings: { pooling: 'mean', maxTokens: 256 }, languages: ['en'],
    });
    await thread.close();
    console.log('closed');`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', '--input-type', 'module', '--eval', program],
    { cwd: fileURLToPath(new URL('../..', import.meta.url)) },
  );
  expect(stdout).toBe('closed\n');
});
