import { describe, expect, test } from 'vitest';
import {
  buildCatalogue,
  checkCatalogue,
  copyCatalogue,
  removeSkills,
  updateSkills,
  watchSources,
  writeSnapshot,
} from '../../src/index.js';
import { row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';

const database = 'postgres://user:zebra@127.0.0.1:1/skills';

describe('what PostgreSQL is not for', () => {
  test.each([
    ['a watch of what is installed', () => watchSources({ database, sources: [{ installed: {} }] }), 'one machine'],
    ['a copy to there', () => copyCatalogue({ from: scratchFile('skills.db'), to: database }), 'buildCatalogue'],
  ])('refuses an address of PostgreSQL, and does not repeat it: %s', async (_, call, advice) => {
    const error = await call().then(
      () => expect.fail('it was not refused'),
      (refused: Error) => refused,
    );
    expect(error).toMatchObject({ code: 'INVALID_OPTION', message: expect.stringContaining(advice) });
    expect(error.message).not.toContain('zebra');
  });
});

describe('options for PostgreSQL', () => {
  test.each([{ cache: 'folder' }, { passwordFile: 'file' }])('are refused for a file: %o', async (option) => {
    const file = scratchFile('skills.db');
    const [parameter] = Object.keys(option);
    const refused = { code: 'INVALID_OPTION', parameter };
    await expect(buildCatalogue({ database: file, sources: [[row('a')]], ...option })).rejects.toMatchObject(refused);
    await expect(updateSkills({ database: file, rows: [row('a')], ...option })).rejects.toMatchObject(refused);
    await expect(removeSkills({ database: file, ids: [], ...option })).rejects.toThrow(
      expect.objectContaining(refused),
    );
    await expect(checkCatalogue({ database: file, ...option })).rejects.toMatchObject(refused);
    await expect(watchSources({ database: file, sources: ['.'], ...option })).rejects.toMatchObject(refused);
    await expect(copyCatalogue({ from: file, to: `${file}-copy`, ...option })).rejects.toMatchObject(refused);
    await expect(writeSnapshot({ database: file, to: `${file}-to`, ...option })).rejects.toMatchObject(refused);
  });
});
