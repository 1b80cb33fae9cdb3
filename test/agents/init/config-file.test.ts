import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, readdirSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { MAX_CONFIG_BYTES, replaceFile } from '../../../src/core/config-file.js';
import { backupPathFor, readConfigFile, writeConfigFile } from '../../../src/core/index.js';
import { scratchFile } from '../../scratch-folder.js';

test('is refused where it is larger than 64 MiB', () => {
  const path = scratchFile('settings.json');
  writeFileSync(path, '');
  truncateSync(path, MAX_CONFIG_BYTES + 1);
  expect(() => readConfigFile(path)).toThrow(`it has more than ${MAX_CONFIG_BYTES} bytes`);
  truncateSync(path, MAX_CONFIG_BYTES);
  expect(readConfigFile(path).text).toHaveLength(MAX_CONFIG_BYTES);
});

test('is not written over what somebody else wrote since it was read', () => {
  const path = scratchFile('settings.json');
  writeFileSync(path, 'read');
  const file = readConfigFile(path);
  writeFileSync(path, 'else');
  expect(writeConfigFile(file, 'ours')).toBe(false);
  expect(readConfigFile(path).text).toBe('else');
});

test('is put back where a program that had it open wrote to it after the last look', () => {
  const path = scratchFile('settings.json');
  writeFileSync(path, 'read');
  const file = openSync(path, 'r+');
  const isUnchanged = (): boolean => {
    ftruncateSync(file);
    writeSync(file, 'else');
    return true;
  };
  expect(replaceFile(path, 'ours', { newMode: 0o600, isUnchanged })).toBe(false);
  writeSync(file, ' and more');
  closeSync(file);
  expect(readConfigFile(path).text).toBe('else and more');
  expect(replaceFile(path, 'ours', { newMode: 0o600, isUnchanged: () => true })).toBe(true);
  expect(readConfigFile(path).text).toBe('ours');
  expect(readdirSync(dirname(path))).toEqual(['settings.json']);
});

test('is written while another run writes it, and what killed runs left is removed', () => {
  const path = scratchFile('settings.json');
  const { pid } = spawnSync(process.execPath, ['--version']);
  const part = (of: number): string => `${of}-0123456789ab.skill-discovery-part`;
  const ofOthers = [`settings.json.${part(process.ppid)}`, `x.json.${part(pid)}`, 'settings.json.skill-discovery-part'];
  const left = [`settings.json.${part(pid)}`, `settings.json.20261123T040506Z-2.bak.${part(pid)}`];
  for (const name of [...ofOthers, ...left]) writeFileSync(join(dirname(path), name), '');
  expect(writeConfigFile(readConfigFile(path), 'ours')).toBe(true);
  expect(readdirSync(dirname(path)).sort()).toEqual([...ofOthers, 'settings.json'].sort());
});

test('has copies beside it with names that nothing has yet', () => {
  const path = scratchFile('settings.json');
  const now = new Date('2026-11-23T04:05:06.789Z');
  expect(backupPathFor(path, now)).toBe(`${path}.20261123T040506Z.bak`);
  writeFileSync(`${path}.20261123T040506Z.bak`, '');
  expect(backupPathFor(path, now)).toBe(`${path}.20261123T040506Z-2.bak`);
});
