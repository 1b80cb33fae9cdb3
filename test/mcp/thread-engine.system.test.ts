import { getEventListeners, once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { buildCatalogue } from '../../src/index.js';
import { CatalogueEngine, createMcpFetchHandler } from '../../src/mcp/engine.js';
import { loadSdk } from '../../src/mcp/sdk.js';
import { serveMcpOnStdio } from '../../src/mcp/stdio.js';
import { ThreadEngine } from '../../src/mcp/thread-engine.js';
import { scratchFile } from '../scratch-folder.js';
import { openWholeSkills, type WholeSkill, wholeRow } from './whole-skills.js';

describe('thread engine', () => {
  const PDF: WholeSkill = { id: 'pdf', name: 'pdf-forms', description: 'Fills in PDF forms.' };
  const BROKEN: WholeSkill = { id: 'x', name: 'Not Published' };

  async function start(skills: readonly WholeSkill[], semantic = false) {
    const database = scratchFile('skills.db');
    await buildCatalogue({ database, sources: [skills.map(wholeRow)], semantic });
    const lines: string[] = [];
    const data = { database, model: undefined, stopWords: undefined, options: { meaning: false } };
    const engine = new ThreadEngine(data, { onChange: () => {}, onLog: (_, message) => lines.push(message) });
    onTestFinished(() => engine.close());
    return { engine, lines };
  }

  test('answers as the engine of this thread does, bytes and faults included, and tells what it logs', async () => {
    const { engine, lines } = await start([{ ...PDF, files: { 'a.bin': Uint8Array.from([0, 255]) } }, BROKEN]);
    const { signal } = new AbortController();
    const found = await engine.callTool('search_skills', { query: 'pdf', by: 'words' }, signal);
    expect(found.structuredContent).toMatchObject({ skills: [{ id: 'pdf' }] });
    expect((await engine.ask('listSkills')).skills.map(({ uri }) => uri)).toEqual(['skill://pdf/pdf-forms/SKILL.md']);
    expect(await engine.ask('readFile', 'skill://pdf/pdf-forms/a.bin')).toMatchObject({ contents: [{ blob: 'AP8=' }] });
    expect(await engine.ask('getSkill', 'skill://x/Not%20Published/SKILL.md')).toBeUndefined();
    await expect(engine.ask('listResources', 'made-up')).rejects.toMatchObject({ code: -32602 });
    await expect(engine.callTool('none', {}, signal)).rejects.toMatchObject({ code: -32602 });
    expect(lines).toEqual(['found but not published']);
  });

  test('a call whose caller has gone is not made', async () => {
    const { engine } = await start([PDF]);
    await expect(engine.callTool('list_categories', {}, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  });

  test('a call whose arguments cannot be handed over is refused, and nothing of it is left', async () => {
    const { engine, lines } = await start([PDF]);
    const call = new AbortController();
    const query = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`) as unknown;
    const refused = engine.callTool('search_skills', { query }, call.signal);
    await expect(refused).rejects.toMatchObject({ code: -32602, message: 'the arguments are nested too deeply' });
    expect(getEventListeners(call.signal, 'abort')).toEqual([]);
    expect((await engine.ask('listSkills')).skills).toHaveLength(1);
    // Whatever still waits is rejected here, and nobody would handle that: the test would fail.
    await engine.close();
    expect(lines).toEqual([]);
  });

  test('its end while the model is loaded is no warning', async () => {
    const { engine, lines } = await start([PDF], true);
    await engine.ask('listSkills');
    const loaded = engine.warmUp();
    await engine.close();
    await loaded;
    expect(lines).not.toContain('semantic search is not available');
  });

  test('after its end each call says so', async () => {
    const { engine, lines } = await start([PDF]);
    await engine.ask('listSkills');
    await engine.close();
    await expect(engine.ask('listSkills')).rejects.toMatchObject({ code: -32603, message: /has ended/ });
    expect(lines).toEqual([]);
  });
});

describe('links', () => {
  const CALL = {
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'get_skill', arguments: { skill: 'a' } },
  };

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
});
