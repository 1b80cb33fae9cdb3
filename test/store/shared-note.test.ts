import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { buildCatalogue, checkCatalogue, removeSkills } from '../../src/index.js';
import { readNamedState, writeNote } from '../../src/store/notes.js';
import { Database } from '../../src/store/sqlite.js';
import { stampOf } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';

describe('the note of a state', () => {
  test('is read again, and changes nothing else', async () => {
    const database = await catalogue();
    const stamp = stampOf(database);
    expect(readNamedState(database)?.note).toBeUndefined();
    writeNote(database, 'a 1');
    writeNote(database, 'b 2');
    expect([readNamedState(database)?.note, stampOf(database)]).toEqual(['b 2', stamp]);
    expect(await checkCatalogue({ database })).toMatchObject({ problems: [] });
  });

  test('is void in the next state', async () => {
    const database = await catalogue();
    writeNote(database, 'a 1');
    await removeSkills({ database, ids: ['a'] });
    expect(readNamedState(database)?.note).toBeUndefined();
  });

  test('is none of what is no catalogue', async () => {
    const database = scratchFile('skills.db');
    expect(readNamedState(database)?.note).toBeUndefined();
    writeFileSync(database, 'text');
    expect(readNamedState(database)?.note).toBeUndefined();
    expect(await codeOf(() => writeNote(database, 'a 1'))).toBe('NOT_A_CATALOGUE');
  });

  test('counts for nothing if what a catalogue says of itself is damaged, which no note hides', async () => {
    const database = await catalogue();
    writeNote(database, 'a 1');
    const connection = new Database(database);
    connection.exec("UPDATE meta SET value = '{}' WHERE key = 'facts'");
    connection.close();
    expect(readNamedState(database)?.note).toBeUndefined();
    expect(await codeOf(() => writeNote(database, 'a 2'))).toBe('DATABASE_DAMAGED');
  });
});

async function catalogue(): Promise<string> {
  const database = scratchFile('skills.db');
  await buildCatalogue({ database, sources: [[row('a'), row('b')]], semantic: false });
  return database;
}
