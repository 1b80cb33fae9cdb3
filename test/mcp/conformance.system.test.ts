import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startServer } from '../../src/http/index.js';
import { scratchFolder } from '../scratch-folder.js';
import { openWholeSkills, skillMd } from './whole-skills.js';

const SUITE = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
);

const GLOB = new URL('with-glob-sync.mjs', import.meta.url).href;

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

const SKILLS = [
  {
    id: 'acme-tools-pdf',
    name: 'pdf-forms',
    description: 'Fills in PDF forms.',
    files: {
      'SKILL.md':
        '---\nname: pdf-forms\ndescription: >-\n  Fills in PDF\n  forms.\nversion: 1.10\nreleased: 2026-01-02\nmetadata:\n  level: "3"\n---\n\nUse `scripts/fill.py`.\n',
      'scripts/fill.py': 'print("fill")\n',
      'nested/charts/SKILL.md': skillMd('charts', 'Draws charts.'),
    },
  },
  ...Array.from({ length: 150 }, (_, i) => ({ id: `more-${i}`, name: `more-${i}` })),
  { id: 'not-published', name: 'Not Published' },
];

const RUNS = [
  ['sep-2640-skills-enumeration', '2026-07-28'],
  ['sep-2640-skills-manifest', '2026-07-28'],
  ['sep-2640-skills-directory', '2026-07-28'],
  ['sep-2640-skills-enumeration', '2025-11-25'],
  ['sep-2164-resource-not-found', '2026-07-28'],
] as const;

// The package is a development dependency; a tree without it has nothing to run.
test.skipIf(!existsSync(SUITE)).each(RUNS)(
  'the conformance checks of the Skills extension all pass: %s in revision %s',
  async (scenario, revision) => {
    const checks = await run(scenario, revision);
    const bad = checks.filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO');
    // ttlMs and cacheScope are of the newer revision.
    const expected = revision === '2026-07-28' ? [] : bad.filter(({ id }) => id.endsWith('-cache-attributes'));
    expect(bad).toEqual(expected);
    expect(checks.length).toBeGreaterThan(2);
  },
  30_000,
);

/** Of the transport. Checks that need a tool of their own are left out. */
const OF_PROTOCOL = [
  ['server-stateless', '2026-07-28'],
  ['dns-rebinding-protection', '2026-07-28'],
  ['http-header-validation', '2026-07-28'],
] as const;

test.skipIf(!existsSync(SUITE)).each(OF_PROTOCOL)(
  'the conformance checks of the protocol pass as far as they can be made here: %s in revision %s',
  async (scenario, revision) => {
    const checks = await run(scenario, revision);
    const needsTool = ({ errorMessage = '' }: Check) => errorMessage.startsWith('Not testable: server does not list');
    const made = checks.filter((check) => !needsTool(check) && check.status !== 'SKIPPED');
    expect(made.filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO')).toEqual([]);
    expect(made.some(({ status }) => status === 'SUCCESS')).toBe(true);
  },
  30_000,
);

async function run(scenario: string, revision: string): Promise<Check[]> {
  const search = await openWholeSkills(SKILLS);
  const server = await startServer(search, { mcp: true, port: 0, access: false });
  const url = `${server.url}/mcp`;
  const out = scratchFolder();
  const words = ['server', '--url', url, '--scenario', scenario, '--spec-version', revision, '--force', '-o', out];
  await promisify(execFile)(process.execPath, ['--import', GLOB, SUITE, ...words], { cwd: out }).catch(() => {});
  await server.close();
  await search.close();
  const file = readdirSync(out, { recursive: true }).find((name) => String(name).endsWith('checks.json'));
  return JSON.parse(readFileSync(join(out, String(file)), 'utf8')) as Check[];
}
