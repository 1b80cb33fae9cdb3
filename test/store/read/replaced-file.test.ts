import { chmodSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { buildCatalogue, openSkillSearch } from '../../../src/index.js';
import { scratchFile } from '../../scratch-folder.js';

test('a catalogue that may only be read is replaced all the same, and may only be read again', async () => {
  const database = scratchFile('skills.db');
  await buildCatalogue({ semantic: false, database, sources: [[{ name: 'a', description: 'first' }]] });
  chmodSync(database, 0o444);

  const report = await buildCatalogue({ semantic: false, database, sources: [[{ name: 'b', description: 'second' }]] });

  expect(report.added).toBe(1);
  expect(statSync(database).mode & 0o777).toBe(0o444);
  await using search = await openSkillSearch({ database });
  expect(search.stats().skills).toBe(2);
});
