import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { buildCatalogue } from '../../src/index.js';
import { Wire } from '../http/wire.js';
import { callTool, ERAS, newClient } from '../mcp/connect.js';
import { wholeRow } from '../mcp/whole-skills.js';
import { scratchFile } from '../scratch-folder.js';
import { runProcess } from './run-process.js';
import { startServing } from './serving.js';

async function catalogue(): Promise<string> {
  const database = scratchFile('skills.db');
  const rows = [
    wholeRow({ id: 'kite', name: 'kite' }),
    wholeRow({ id: 'bad', name: 'Bad Name', description: 'kite as well' }),
  ];
  await buildCatalogue({ database, sources: [rows], semantic: false });
  return database;
}

describe('serve --mcp', () => {
  test('serves MCP beside the specification, says where, and logs method and tool', async () => {
    const server = await startServing(['--mcp', '--database', await catalogue()]);
    expect(server.output().out).toContain(`MCP is at ${server.url}/mcp.\n`);
    for (const era of ERAS) {
      const client = newClient(era);
      await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)));
      onTestFinished(() => client.close());
      const { structured } = await callTool(client, 'search_skills', { query: 'kite', by: 'words' });
      expect((structured['skills'] as { id: string }[]).map(({ id }) => id).sort()).toEqual(['bad', 'kite']);
      expect((await client.listResources()).resources.map(({ name }) => name)).toEqual(['kite']);
    }
    expect((await fetch(`${server.url}/api/v1/skills/search?q=kite`)).status).toBe(200);
    const lines = server.logged().filter(({ operation }) => operation === 'tools/call search_skills');
    expect(lines).toMatchObject([{ msg: 'request', path: '/mcp', status: 200 }, { client: '127.0.0.0' }]);
    const unpublished = await server.heard('found but not published');
    expect(unpublished).toMatchObject({ skill: 'bad', reason: expect.stringContaining('name') });
    server.child.kill('SIGTERM');
    expect(await server.ended()).toBe(0);
  });

  test('is reached by the names that --allowed-host and --public-url say', async () => {
    const more = ['--allowed-host', 'inner, 192.0.2.1', '--public-url', 'https://skills.example.org/base'];
    const server = await startServing(['--mcp', '--database', await catalogue(), ...more]);
    expect(server.output().out).toContain('MCP is at https://skills.example.org/base/mcp.\n');
    for (const host of ['inner', '192.0.2.1:8787', 'skills.example.org', 'localhost']) {
      expect(await statusAt(server.port, host)).toBe(404);
    }
    expect(await statusAt(server.port, 'other')).toBe(403);
  });

  test('is not there without the option', async () => {
    const server = await startServing(['--database', await catalogue()]);
    expect(server.output().out).not.toContain('MCP');
    expect((await fetch(`${server.url}/mcp`, { method: 'POST', body: '{}' })).status).toBe(404);
  });

  test('refuses a name with a port', async () => {
    const { status, error } = await runProcess([
      'serve',
      '--mcp',
      '--allowed-host',
      'a:80',
      '--database',
      await catalogue(),
    ]);
    expect([status, error]).toEqual([2, expect.stringContaining('allowedHosts must be a list of names')]);
  });

  test('says what to install where the SDK is missing', async () => {
    const hook = `data:text/javascript,${encodeURIComponent(WITHOUT_SDK)}`;
    const words = ['serve', '--mcp', '--port', '0', '--database', await catalogue()];
    const { status, error } = await runProcess(words, '', { env: { NODE_OPTIONS: `--import ${hook}` } });
    expect([status, error]).toEqual([1, expect.stringContaining('npm install @modelcontextprotocol/server')]);
  });
});

/** Makes the SDK a package that is not installed. */
const WITHOUT_SDK = `
import { register } from 'node:module';
const hook = \`export function resolve(name, context, next) {
  if (!name.startsWith('@modelcontextprotocol/')) return next(name, context);
  throw Object.assign(new Error('not installed'), { code: 'ERR_MODULE_NOT_FOUND' });
}\`;
register('data:text/javascript,' + encodeURIComponent(hook));
`;

/** What a request to end a session is told: 404 where it is looked at. */
async function statusAt(port: number, host: string): Promise<number | 'closed'> {
  const wire = await Wire.open(port);
  const reply = await wire.send(`DELETE /mcp HTTP/1.1\r\nHost: ${host}\r\n\r\n`).reply('DELETE');
  return reply === 'closed' ? reply : reply.status;
}
