import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { targetFolder } from '../../../src/agents/install/staging-folder.js';
import { scratchFolder } from '../../scratch-folder.js';

describe('the folder that skills are installed in', () => {
  test('is refused with what is in the way', async () => {
    const base = scratchFolder();
    writeFileSync(join(base, 'file'), '');
    await expect(targetFolder(join(base, 'file', 'skills'), undefined)).rejects.toMatchObject({
      code: 'INSTALL_REFUSED',
      message: `the folder ${JSON.stringify(join(base, 'file', 'skills'))} cannot be made: ${JSON.stringify(join(base, 'file'))} is not a folder`,
    });
  });

  test.skipIf(process.platform !== 'linux')('is refused, and not waited for, in /proc', async () => {
    await expect(targetFolder('/proc/skills', undefined)).rejects.toMatchObject({
      code: 'INSTALL_REFUSED',
      message: expect.stringMatching(/^the folder "\/proc\/skills" cannot be made: ENOENT/),
    });
  });
});
