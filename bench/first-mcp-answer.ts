import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

const ASKED = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'search_skills',
    arguments: { query: 'react testing', by: 'words' },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});

/** Milliseconds from the start of `skill-discovery mcp` to its first answer by words. Needs a build. */
export async function firstMcpAnswer(database: string): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, [MAIN, 'mcp', '--database', database], { stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.write(`${ASKED}\n`);
  const [answer] = (await once(child.stdout, 'data')) as [Buffer];
  const milliseconds = performance.now() - started;
  if (!answer.toString().includes('"structuredContent"'))
    throw new Error(`no answer: ${answer.toString().slice(0, 300)}`);
  child.stdin.end();
  await once(child, 'close');
  return milliseconds;
}
