import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { buildCatalogue, openSkillSearch, SkillSearchError } from '../../src/index.js';
import { row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { keyword, serve } from './ask.js';

test('a damaged skill is left out of a page, logged once, and 503 on its own page', async () => {
  const database = scratchFile('skills.db');
  const rows = ['kite', 'kayak'].map((id) => row(id, { description: `a ${id} for the sea` }));
  await buildCatalogue({ database, sources: [{ name: 'rows', rows }], semantic: false });
  const bytes = readFileSync(database, 'latin1');
  writeFileSync(database, bytes.replace('a kite', 'a kote'), 'latin1');
  const search = await openSkillSearch({ database });
  const { ask, events } = await serve(search, { pages: true, pagesPerMinute: 4 });

  for (let time = 0; time < 2; time++) {
    const { status, body } = await ask(keyword({ q: 'sea' }));
    expect(status).toBe(200);
    expect(body).toMatchObject({ data: { skills: [{ id: 'kayak' }], pagination: { total: 2 } } });
  }

  expect(await ask('/skills/kayak')).toMatchObject({ status: 200 });
  expect(await ask('/skills/kite')).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
  expect((await ask('/skills/kite')).message).not.toContain(database);

  const failures = events.flatMap((event) => (event.kind === 'failure' ? [event.error] : []));
  expect(failures).toEqual([expect.objectContaining({ code: 'DATABASE_DAMAGED', skill: 'kite' })]);
  expect(failures[0]).toBeInstanceOf(SkillSearchError);
  // It counts as a page of the minute.
  expect(await ask('/skills/kite')).toMatchObject({ status: 503 });
  expect(await ask('/skills/kite')).toMatchObject({ status: 429 });
});
