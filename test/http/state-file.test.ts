import { writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { openAccess } from '../../src/access/index.js';
import { createHandler } from '../../src/http/index.js';
import { Database } from '../../src/store/sqlite.js';
import { row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { accessOf, askerOf, HEALTH, keyword, quotaOf, searchOver, semantic } from './ask.js';

const KITE = keyword({ q: 'kite' });

test('while another process holds the lock of the state file searches are 503, and health is not', async () => {
  const state = scratchFile('access.db');
  const access = accessOf({ state });
  const { key } = access.createKey();
  const ask = askerOf(createHandler(await searchOver([row('kite')]), { access }));
  const other = new Database(state);
  onTestFinished(() => void other.close());
  other.exec('BEGIN IMMEDIATE');
  for (const reply of [await ask(KITE), await ask(KITE, { key }), await ask(semantic('kite'), { key })]) {
    expect([reply.status, reply.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(reply.message).not.toContain(state);
  }
  expect((await ask(HEALTH)).status).toBe(200);
  other.exec('ROLLBACK');
  expect(quotaOf(await ask(KITE))).toEqual(['50', '49']);
  expect(quotaOf(await ask(semantic('kite'), { key }))).toEqual(['500', '499']);
});

test('where the state file is damaged all that is counted is 503, and health is degraded', async () => {
  const state = scratchFile('access.db');
  openAccess({ state }).close();
  const access = accessOf({ state });
  writeFileSync(state, 'damaged '.repeat(4000));
  const ask = askerOf(createHandler(await searchOver([row('kite')]), { access }));
  for (let i = 0; i < 3; i++) {
    const reply = await ask(KITE);
    expect([reply.status, reply.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  }
  expect((await ask(HEALTH)).body).toEqual({ status: 'degraded' });
});
