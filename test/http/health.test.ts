import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { buildCatalogue } from '../../src/index.js';
import { row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { failingSearch, HEALTH, keyword, opened, quotaOf, searchOver, serve } from './ask.js';
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

  test('needs no key and minds none that is wrong', async () => {
    const { ask, key } = await serve(SKILLS);
    for (const how of [{}, { key }, { key: 'wrong' }, { headers: { Authorization: 'Basic x' } }]) {
      expect((await ask(HEALTH, how)).status).toBe(200);
    }
  });

  test('takes no parameters: whatever comes is ignored', async () => {
    const { ask } = await serve(SKILLS);
    for (const query of ['?q=', '?page=0', '?%=%&q=1&q=2']) expect((await ask(HEALTH + query)).status).toBe(200);
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

  test('is degraded when keys and counters cannot be asked', async () => {
    const { ask, access } = await serve(SKILLS);
    access.close();
    const reply = await ask(HEALTH);
    expect([reply.status, faultsOf(DEGRADED, reply.body)]).toEqual([503, []]);
  });

  test('is degraded by whatever is thrown, of which nothing is told', async () => {
    const { ask, events } = await serve(failingSearch(new Error('secret of the cause')));
    const reply = await ask(HEALTH);
    expect([reply.status, reply.text]).toEqual([503, '{"status":"degraded"}']);
    expect(events[0]).toMatchObject({ kind: 'failure', error: { message: 'secret of the cause' } });
  });

  test('is ok without vectors: only semantic search lacks them', async () => {
    const database = scratchFile('skills.db');
    await buildCatalogue({ semantic: false, database, sources: [SKILLS] });
    expect((await (await serve(await opened({ database }))).ask(HEALTH)).status).toBe(200);
  });
});
