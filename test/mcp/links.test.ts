import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { CatalogueEngine } from '../../src/mcp/engine.js';
import { createMcpFetchHandler } from '../../src/mcp/mcp-handler.js';
import { loadSdk } from '../../src/mcp/sdk.js';
import { serveMcpOnStdio } from '../../src/mcp/stdio.js';
import { openWholeSkills } from './whole-skills.js';

const CALL = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'get_skill', arguments: { skill: 'a' } } };

type Content = readonly { readonly type: string }[];
const typesOf = (answer: { result: { content: Content } }) => answer.result.content.map(({ type }) => type);

/** Links came with the revision of June 2025. */
const REVISIONS: readonly (readonly [string | undefined, readonly string[]])[] = [
  ['2024-11-05', ['text']],
  ['2025-03-26', ['text']],
  ['2025-06-18', ['text', 'resource_link']],
  ['2025-11-25', ['text', 'resource_link']],
];

test.each(REVISIONS)('on stdio a client of %s gets %j', async (protocolVersion, expected) => {
  const search = await openWholeSkills([{ id: 'a', name: 'a' }]);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = serveMcpOnStdio(await loadSdk(), new CatalogueEngine(async () => search, {}), { input, output });
  onTestFinished(() => served.close());
  const next = async (message: object) => {
    input.write(`${JSON.stringify(message)}\n`);
    return JSON.parse(String((await once(output, 'data'))[0]));
  };
  const params = { protocolVersion, clientInfo: { name: 'test', version: '1' }, capabilities: {} };
  const { result } = await next({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  expect(result.protocolVersion).toBe(protocolVersion);
  input.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  expect(typesOf(await next(CALL))).toEqual(expected);
});

test.each([...REVISIONS, [undefined, ['text']] as const])(
  'over HTTP a client of %s gets %j',
  async (revision, expected) => {
    const search = await openWholeSkills([{ id: 'a', name: 'a' }]);
    const handler = createMcpFetchHandler(
      await loadSdk(),
      async () => search,
      () => ({}),
    );
    onTestFinished(() => handler.close());
    const headers = {
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      ...(revision === undefined ? {} : { 'mcp-protocol-version': revision }),
    };
    const request = new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body: JSON.stringify(CALL) });
    const answer = await (await handler.fetch(request)).text();
    expect(typesOf(JSON.parse(/^(?:.*?^data: )?(\{.*\})/ms.exec(answer)![1]!))).toEqual(expected);
  },
);
