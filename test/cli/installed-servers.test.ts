import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { MadeUpHome } from '../installed/made-up-home.js';
import { callTool, newClient } from '../mcp/connect.js';
import { SEARCH, startServing } from './serving.js';

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** The environment of somebody whose home is made up. */
function environmentOf({ home }: MadeUpHome): Record<string, string> {
  const data = join(home, 'data');
  return { HOME: home, USERPROFILE: home, XDG_DATA_HOME: data, XDG_CONFIG_HOME: join(home, '.config') };
}

test('serve --installed loads first, into the catalogue of the user', async () => {
  const made = await MadeUpHome.with('home/.claude/skills/alpha', 'home/.cursor/skills/beta');
  const serving = await startServing(['--installed', '--agent', 'claude-code'], environmentOf(made));
  expect(await serving.heard('loaded the installed skills')).toMatchObject({ added: 1, removed: 0 });
  const answer = (await (await fetch(`${serving.url}${SEARCH}`)).json()) as { data: { skills: { id: string }[] } };
  expect(answer.data.skills.map(({ id }) => id)).toEqual(['skills-alpha']);
  expect((await readFile(join(made.home, 'data/skill-discovery/skills.db'))).length).toBeGreaterThan(0);
  expect(await serving.heard('embedded the installed skills')).toMatchObject({ embedded: 1 });
});

test('mcp --installed answers from what is installed', async () => {
  const made = await MadeUpHome.with('home/.claude/skills/alpha');
  const client = newClient('2026-07-28');
  const args = ['--import', 'tsx', MAIN, 'mcp', '--installed', '--agent', 'claude-code', '--no-semantic'];
  const env = { PATH: process.env['PATH'] ?? '', ...environmentOf(made) };
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
  onTestFinished(() => client.close());
  const { structured } = await callTool(client, 'search_skills', { query: 'alpha' });
  expect(structured).toMatchObject({ skills: [{ id: 'skills-alpha' }] });
});
