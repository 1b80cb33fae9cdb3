import { expect, onTestFinished, test } from 'vitest';
import { createMcpFetchHandler } from '../../src/mcp/mcp-handler.js';
import { loadSdk } from '../../src/mcp/sdk.js';
import { openWholeSkills } from './whole-skills.js';

test.each([
  ['resources/read', undefined, 'resources/read needs params.uri, a text'],
  ['tools/call', { arguments: {} }, 'tools/call needs params.name, a text'],
  ['tools/call', { name: 'get_skill', arguments: 'a' }, 'params.arguments of tools/call must be an object'],
])('over HTTP %s with %j is refused as wrong parameters', async (method, params, message) => {
  const search = await openWholeSkills([{ id: 'a', name: 'a' }]);
  const handler = createMcpFetchHandler(
    await loadSdk(),
    async () => search,
    () => ({}),
  );
  onTestFinished(() => handler.close());
  const parsedBody = { jsonrpc: '2.0', id: 1, method, params };
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const request = new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body: JSON.stringify(parsedBody) });
  const response = await handler.fetch(request, { parsedBody });
  expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32602, message } });
});
