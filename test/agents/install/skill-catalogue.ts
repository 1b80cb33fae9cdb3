import { createHash } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { buildCatalogue, type ContentFile, type SkillSearch } from '../../../src/index.js';
import { opened } from '../../http/ask.js';
import { temporaryFolder } from '../../sources/folders.js';

/** A SKILL.md with this name. */
export function skillMarkdown(name: string, body = 'Do it.'): string {
  return `---\nname: ${name}\ndescription: Does ${name} for tests.\n---\n\n${body}\n`;
}

export const PDF_FORMS: Readonly<Record<string, string | Uint8Array>> = {
  'pdf-forms/SKILL.md': skillMarkdown('pdf-forms'),
  'pdf-forms/references/fields.md': '# Fields\n\nÄ ö 表\n',
  'pdf-forms/scripts/fill.sh': '#!/bin/sh\necho filled\n',
  'pdf-forms/assets/blank.bin': Uint8Array.from([0, 255, 128, 10, 13]),
};

/** A catalogue of a folder with these files, `.sh` executable; its skills tell where they lie. */
export async function catalogueOf(
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<{ readonly search: SkillSearch; readonly database: string; readonly folder: string }> {
  const folder = await temporaryFolder(files);
  for (const name of Object.keys(files)) if (name.endsWith('.sh')) chmodSync(join(folder, name), 0o755);
  const database = join(await temporaryFolder(), 'skills.db');
  await buildCatalogue({ database, sources: [folder], semantic: false });
  return { search: await opened({ database, localPaths: true }), database, folder };
}

/** A file of a row of JSON that is stored as it is. */
export function wholeFile(filename: string, text: string): object {
  return { filename, text, complete: true, sha256: createHash('sha256').update(text).digest('hex') };
}

/** The id of the skill with this name. */
export function idOf(search: SkillSearch, name: string): string {
  return search.ids().find((id) => search.get(id)?.name === name)!;
}

/** The same search, whose skills have these files in place of their own: what no load would let through. */
export function withFiles(search: SkillSearch, files: readonly Pick<ContentFile, 'path' | 'sha256'>[]): SkillSearch {
  return Object.create(search, {
    get: { value: (id: string) => search.get(id) },
    contents: {
      value: () => ({
        complete: true,
        files: files.map((file) => ({ size: 1, mediaType: 'text/plain', executable: false, complete: true, ...file })),
      }),
    },
    read: { value: () => Buffer.from('x') },
  }) as SkillSearch;
}
