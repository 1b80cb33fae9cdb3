import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { buildCatalogue, openSkillSearch, SkillSearchError } from '../../src/index.js';
import { row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { HEALTH, keyword, opened, quotaOf, searchOver, serve } from './ask.js';
import { DEGRADED, faultsOf, HEALTHY } from './shapes.js';

const SKILLS = [row('kite')];

describe('health', () => {
  test('is 200 and ok while the catalogue answers, an empty one too', async () => {
    for (const skills of [SKILLS, []]) {
      const reply = await (await serve(skills)).ask(HEALTH);
      expect([reply.status, faultsOf(HEALTHY, reply.body)]).toEqual([200, []]);
      expect(reply.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    }
  });

  test('uses no quota, neither of the day nor of the minute, and has no quota headers', async () => {
    const { ask } = await serve(SKILLS, { quotas: { anonymous: { daily: 2, perMinute: 2 } } });
    for (let i = 0; i < 20; i++) {
      const reply = await ask(HEALTH);
      expect([reply.status, quotaOf(reply)]).toEqual([200, [null, null]]);
    }
    expect(quotaOf(await ask(keyword({ q: 'kite' })))).toEqual(['2', '1']);
    expect(quotaOf(await ask(keyword({ q: 'kite' })))).toEqual(['2', '0']);
    expect((await ask(keyword({ q: 'kite' }))).status).toBe(429);
    expect((await ask(HEALTH)).status).toBe(200);
  });

  test('is 503 and degraded, with no error object, when the search was closed', async () => {
    const search = await searchOver(SKILLS);
    const { ask } = await serve(search);
    expect((await ask(HEALTH)).status).toBe(200);
    await search.close();
    const reply = await ask(HEALTH);
    expect([reply.status, faultsOf(DEGRADED, reply.body)]).toEqual([503, []]);
    expect(reply.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
  });

  test('is asked and not remembered: degraded as soon as the catalogue is damaged', async () => {
    const database = scratchFile('skills.db');
    await buildCatalogue({ semantic: false, database, sources: [SKILLS] });
    const { ask } = await serve(await opened({ database }));
    expect((await ask(HEALTH)).status).toBe(200);
    writeFileSync(database, 'This is no database any more, however it is read.'.repeat(2000));
    const reply = await ask(HEALTH);
    expect([reply.status, faultsOf(DEGRADED, reply.body)]).toEqual([503, []]);
  });
});

test('damage a damaged skill is left out of a page, logged once, and 503 on its own page', async () => {
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
