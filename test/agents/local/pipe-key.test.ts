import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ensurePipeKey, pipeName, readPipeKey } from '../../../src/agents/local/local-protocol.js';
import { scratchFolder } from '../../scratch-folder.js';

describe('the key of the names of pipes', () => {
  test('is made once, for the user alone, and read by all processes', () => {
    const folder = scratchFolder();
    expect(readPipeKey(folder)).toBeUndefined();
    const key = ensurePipeKey(folder)!;
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect([ensurePipeKey(folder), readPipeKey(folder)]).toEqual([key, key]);
    if (process.platform !== 'win32') expect(statSync(join(folder, 'pipe-key')).mode & 0o777).toBe(0o600);
    expect(pipeName('0123456789abcdef', key)).toBe(String.raw`\\.\pipe\skill-discovery-0123456789abcdef-${key}`);
  });

  test('is none where the file has something else, or there is no folder', () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, 'pipe-key'), String.raw`..\..\another`);
    expect(readPipeKey(folder)).toBeUndefined();
    expect(ensurePipeKey(join(folder, 'missing'))).toBeUndefined();
  });
});
