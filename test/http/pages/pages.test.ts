import { describe, expect, test } from 'vitest';
import { MAX_LONGEST_WAIT } from '../../../src/core/index.js';
import { createHandler, type HandlerOptions } from '../../../src/http/index.js';
import { codeOf } from '../../error-code.js';
import { keyword, ORIGIN, searchOver, serve } from '../ask.js';
import { KITE } from './kite.js';

describe('without the option', () => {
  test('there is no page: the three paths are 404', async () => {
    for (const options of [{}, { pages: false }]) {
      const { ask } = await serve([KITE], options);
      for (const path of ['/', '/openapi.json', '/skills/kite'])
        expect((await ask(path)).code).toBe('ENDPOINT_NOT_FOUND');
    }
  });

  test('pages that are neither on nor off are refused', async () => {
    const search = await searchOver([]);
    const options = { pages: 'yes' } as unknown as HandlerOptions;
    expect(await codeOf(() => createHandler(search, options))).toBe('INVALID_OPTION');
  });
});

describe('pages', () => {
  test('may be asked for 120 times a minute by each address: then 429 with Retry-After', async () => {
    const { ask } = await serve([KITE], { pages: true });
    const paths = ['/', '/openapi.json', '/skills/kite'];
    for (let i = 0; i < 120; i++) expect((await ask(paths[i % 3]!)).status).toBe(200);
    for (const path of paths) {
      const reply = await ask(path);
      expect([reply.status, reply.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
      expect(reply.headers.get('Retry-After')).toMatch(/^(60|[1-5]\d)$/);
      expect((await ask(path, { method: 'HEAD' })).status).toBe(429);
    }
    expect((await ask('/', { address: '192.0.2.1' })).status).toBe(200);
    // To see that a skill is not there is as much work.
    expect((await ask('/skills/nothing')).status).toBe(429);
    expect((await ask('/skills/nothing', { address: '192.0.2.1' })).status).toBe(404);
    // Only pages are counted, and only for pages.
    expect((await ask(keyword({ q: 'kite' }))).status).toBe(200);
  });

  test('have a limit that is an option, and none without access', async () => {
    const few = await serve([KITE], { pages: true, pagesPerMinute: 1 });
    expect([(await few.ask('/')).status, (await few.ask('/')).status]).toEqual([200, 429]);
    const search = await searchOver([KITE]);
    for (const options of [{ pagesPerMinute: 0 }, { access: false } as const]) {
      const handle = createHandler(search, { pages: true, ...options });
      for (let i = 0; i < 130; i++) expect((await handle(new Request(`${ORIGIN}/`))).status).toBe(200);
    }
    for (const pagesPerMinute of [-1, 1.5, Number.NaN, '5' as never, 2 ** 31]) {
      expect(await codeOf(() => createHandler(search, { pagesPerMinute }))).toBe('INVALID_OPTION');
    }
    for (const longestWait of [-1, Number.NaN, '5' as never, MAX_LONGEST_WAIT + 1]) {
      expect(await codeOf(() => createHandler(search, { longestWait }))).toBe('INVALID_OPTION');
    }
    createHandler(search, { longestWait: MAX_LONGEST_WAIT });
  });
});
