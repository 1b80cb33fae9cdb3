import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LockFile } from '../../src/install/lock-file.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';

describe('a lock file', () => {
  test('is made in the form that other installers write', async () => {
    const path = join(scratchFolder(), 'state', '.skill-lock.json');
    const lock = await LockFile.read(path, 'user');
    lock.set('b', { source: 'o/r' });
    lock.set('a', { source: 'o/r' });
    await lock.write();
    const skills = { a: { source: 'o/r' }, b: { source: 'o/r' } };
    expect(readFileSync(path, 'utf8')).toBe(JSON.stringify({ version: 3, skills, dismissed: {} }, null, 2));
  });

  test('is not written where nothing was set', async () => {
    const path = scratchFile('skills-lock.json');
    await (await LockFile.read(path, 'project')).write();
    expect(existsSync(path)).toBe(false);
  });

  test('keeps what another program wrote since it was read', async () => {
    const path = scratchFile('skills-lock.json');
    const lock = await LockFile.read(path, 'project');
    const others = { version: 1, skills: { theirs: { source: 'x' } } };
    writeFileSync(path, JSON.stringify(others));
    lock.set('ours', { source: 'y' });
    await lock.write();
    const { skills } = JSON.parse(readFileSync(path, 'utf8'));
    expect(skills).toEqual({ theirs: { source: 'x' }, ours: { source: 'y' } });
    expect(readdirSync(dirname(path))).toEqual(['skills-lock.json']);
  });
});
