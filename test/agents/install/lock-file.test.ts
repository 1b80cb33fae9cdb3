import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LockFile, MAX_LOCK_ENTRIES } from '../../../src/agents/install/lock-file.js';
import { scratchFile, scratchFolder } from '../../scratch-folder.js';

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

  test.skipIf(process.platform === 'win32')('keeps its mode', async () => {
    const path = scratchFile('skills-lock.json');
    writeFileSync(path, '{"version":1,"skills":{}}');
    chmodSync(path, 0o600);
    const lock = await LockFile.read(path, 'project');
    lock.set('ours', { source: 'y' });
    await lock.write();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('gets no more entries than it may have', async () => {
    const path = scratchFile('skills-lock.json');
    const skills = Object.fromEntries(Array.from({ length: MAX_LOCK_ENTRIES }, (_, i) => [`s${i}`, {}]));
    const text = JSON.stringify({ version: 1, skills });
    writeFileSync(path, text);
    const lock = await LockFile.read(path, 'project');
    lock.set('one-more', { source: 'y' });
    await expect(lock.write()).rejects.toThrow('more than 10000 entries');
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  test('that begins with a byte order mark is refused with these words', async () => {
    const path = scratchFile('skills-lock.json');
    writeFileSync(path, '\ufeff{"version":1,"skills":{}}');
    await expect(LockFile.read(path, 'project')).rejects.toThrow('it begins with a byte order mark');
  });

  test('that is not in UTF-8 is refused: it could not be kept byte for byte', async () => {
    const path = scratchFile('skills-lock.json');
    const bytes = Buffer.from('{"version":1,"skills":{},"by":"?"}');
    bytes[bytes.indexOf('?')] = 0xff;
    writeFileSync(path, bytes);
    await expect(LockFile.read(path, 'project')).rejects.toMatchObject({ code: 'INSTALL_REFUSED' });
  });

  test('is a file: of a folder, and of a device behind a link, nothing is read', async () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, 'a.json'));
    const places = [join(folder, 'a.json')];
    if (process.platform !== 'win32') {
      symlinkSync('/dev/zero', join(folder, 'b.json'));
      places.push(join(folder, 'b.json'));
    }
    for (const path of places) {
      await expect(LockFile.read(path, 'project')).rejects.toThrow('cannot be used: it is not a file');
    }
  });

  test('whose version is something long is refused in a short sentence', async () => {
    const path = scratchFile('skills-lock.json');
    writeFileSync(path, JSON.stringify({ version: 'x'.repeat(10_000), skills: {} }));
    const error = await LockFile.read(path, 'project').catch((cause: Error) => cause);
    expect((error as Error).message.length).toBeLessThan(path.length + 250);
  });
});
