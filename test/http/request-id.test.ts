import { describe, expect, onTestFinished, test } from 'vitest';
import { startServer } from '../../src/http/index.js';
import { openSkillSearch } from '../../src/index.js';
import { row } from '../rows.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

describe('the id of a request', () => {
  test.each(['0af7651916cd43dd8448eb211c80319c', 'edge-1:42/7', 'a'.repeat(128)])(
    'is the one that a trusted proxy gives: %s',
    async (id) => {
      expect(await idsFor({ trustProxy: ['loopback'] }, id)).toEqual([id, id, id]);
    },
  );

  test.each(['a b', 'a"b', 'a'.repeat(129), '{}', 'é'])(
    'is our own where that could forge a log line: %s',
    async (id) => {
      const ids = await idsFor({ trustProxy: ['loopback'] }, id);
      expect(ids[0]).toMatch(UUID);
      expect(new Set(ids).size).toBe(1);
    },
  );

  test('is our own where nobody is trusted', async () => {
    expect((await idsFor({}, 'abc'))[0]).toMatch(UUID);
  });
});

/** The ids in header, body and log of the answer to a request with an id. */
async function idsFor(options: { readonly trustProxy?: readonly string[] }, id: string): Promise<string[]> {
  const search = await openSkillSearch({ skills: [row('alpha')] });
  onTestFinished(() => search.close());
  const logged: string[] = [];
  const server = await startServer(search, {
    ...options,
    port: 0,
    log: ({ requestId }) => void logged.push(requestId),
  });
  onTestFinished(() => server.close(0));
  const headers = { 'X-Request-Id': Buffer.from(id).toString('latin1') };
  const response = await fetch(`${server.url}/api/v1/skills/search?q=alpha`, { headers });
  const { meta } = (await response.json()) as { readonly meta: { readonly requestId: string } };
  return [response.headers.get('X-Request-Id')!, meta.requestId, ...logged];
}
