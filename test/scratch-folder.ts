import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** An empty folder, removed when the test ends. */
export function scratchFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'skill-discovery-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The path of a file that does not exist yet, in a folder of its own. */
export function scratchFile(name: string): string {
  return join(scratchFolder(), name);
}

/** The path of a file with this content, in a folder of its own. */
export function scratchFileWith(name: string, content: string | Uint8Array): string {
  const path = scratchFile(name);
  writeFileSync(path, content);
  return path;
}

/** What is closed when the test ends. */
export function closing<Opened extends { close(): unknown }>(opened: Opened): Opened {
  onTestFinished(async () => {
    await opened.close();
  });
  return opened;
}
