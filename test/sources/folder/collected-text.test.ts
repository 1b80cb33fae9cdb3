import { renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { collectedText } from '../../../src/sources/folder/read-skill.js';
import { temporaryFolder } from './temporary-folder.js';

describe('the text of a file', () => {
  it('is not read if a folder above it has become a link', async () => {
    const folder = await temporaryFolder({ 'skill/docs/a': 'mine', 'elsewhere/a': 'secret' });
    const path = join(folder, 'skill/docs/a');
    const read = collectedText(new Map());
    expect(await read(path)).toMatchObject({ text: 'mine' });
    renameSync(join(folder, 'skill/docs'), join(folder, 'skill/former'));
    symlinkSync('../elsewhere', join(folder, 'skill/docs'));
    await expect(read(path)).rejects.toThrow('replaced by a link');
  });

  // Somebody may put the file back that was a link before: nobody knows what it is now.
  it('is not looked for again if the file was refused', async () => {
    const path = join(await temporaryFolder({ a: 'text' }), 'a');
    await expect(collectedText(new Map([[path, new Error('replaced')]]))(path)).rejects.toThrow('replaced');
    expect(await collectedText(new Map([[path, 'special']]))(path)).toEqual({ kind: 'special' });
    expect(await collectedText(new Map([[path, 'large']]))(path)).toMatchObject({ text: 'text' });
  });
});
