import { cpSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildCatalogue, openSkillSearch } from '../../src/index.js';
import { BUNDLED_MODEL } from '../../src/semantic/index.js';
import { codeOf } from '../error-code.js';
import { startedThreads } from '../processes.js';
import { row } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';

test('a model that cannot be loaded is not loaded again for each question, and words are searched all the same', async () => {
  const folder = join(scratchFolder(), 'model');
  cpSync(BUNDLED_MODEL, folder, { recursive: true });
  const weights = join(folder, 'onnx/model_quantized.onnx');
  renameSync(weights, `${weights}.away`);
  writeFileSync(weights, 'no weights');
  await using search = await openSkillSearch({ skills: [row('kite')], model: folder });
  const threads = startedThreads();
  const ask = (): Promise<string> => codeOf(() => search.semantic({ q: 'kite' }));
  // The second attempt comes at once, further ones after pauses.
  for (let i = 0; i < 2; i++) expect(await ask()).toBe('MODEL_NOT_READABLE');
  const after = threads.length;
  for (let i = 0; i < 10; i++) {
    expect(await ask()).toBe('MODEL_NOT_READABLE');
    expect(search.keyword({ q: 'kite' }).hits).toHaveLength(1);
  }
  expect(threads).toHaveLength(after);
  // Who asks for it gets another attempt at once.
  renameSync(`${weights}.away`, weights);
  await search.warmUp();
  expect((await search.semantic({ q: 'kite' })).hits).toHaveLength(1);
});

test('the bundled model finds by meaning, in memory and in a file, and tells where nothing fits', async () => {
  const skills = [
    row('notes', { name: 'release-notes', description: 'Writes release notes from the git log.' }),
    row('forms', { name: 'pdf-forms', description: 'Fills in PDF forms.' }),
    row('review', { name: 'sql-review', description: 'Reviews SQL queries.' }),
    row('birds', { name: 'bird-names', description: 'Tells birds by their song.' }),
  ];
  const database = scratchFile('skills.db');
  expect(await buildCatalogue({ database, sources: [skills] })).toMatchObject({ added: 4, embedded: 4 });
  for (const options of [{ skills }, { database }]) {
    await using search = await openSkillSearch(options);
    const ask = (q: string) => search.semantic({ q });
    const { hits, model, confident } = await ask('write up what changed since the last release');
    expect([hits[0]?.skill.id, confident, model]).toEqual(['notes', true, expect.stringMatching(/^skill-minilm@/)]);
    expect((await ask('qwzx vbnmk trlp')).confident).toBe(false);
    expect((await ask('lattice methods of quantum chromodynamics')).confident).toBe(false);
  }
});
