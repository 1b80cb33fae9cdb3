import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, readdirSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { replaceFile } from '../../../src/core/config-file.js';
import { readConfigFile, writeConfigFile } from '../../../src/core/index.js';
import { scratchFile, scratchFileWith } from '../../scratch-folder.js';

test('is not written over what somebody else wrote since it was read', () => {
  const path = scratchFileWith('settings.json', 'read');
  const file = readConfigFile(path);
  writeFileSync(path, 'else');
  expect(writeConfigFile(file, 'ours')).toBe(false);
  expect(readConfigFile(path).text).toBe('else');
});

test('is put back where a program that had it open wrote to it after the last look', () => {
  const path = scratchFileWith('settings.json', 'read');
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
