import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** An empty folder for all tests of a file, removed after the last. */
export function permanentFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'skill-discovery-')));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
