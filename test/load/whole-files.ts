import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { sha256Of } from '../../src/core/index.js';
import { scratchFolder } from '../scratch-folder.js';

/** A folder with files. */
export function written(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = join(scratchFolder(), 'skills');
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  return folder;
}

export function skillMd(name: string): string {
  return `---\nname: ${name}\ndescription: Does ${name}.\n---\n# ${name}\n`;
}

/** A skill in a folder. */
export function writeSkill(folder: string, description: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'SKILL.md'), `---\nname: ${basename(folder)}\ndescription: ${description}\n---\nText\n`);
}

/** A file of a row that is stored as it is. */
export function whole(filename: string, bytes: string | Buffer): { filename: string; sha256: string } {
  const content = typeof bytes === 'string' ? { text: bytes } : { base64: bytes.toString('base64') };
  return { filename, ...content, complete: true, sha256: sha256Of(bytes) } as never;
}
