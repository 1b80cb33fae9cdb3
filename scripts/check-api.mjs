// Asks the built server what its own description allows, and what it does not: schemathesis makes requests from
// /openapi.json, and compares each answer with it. `npm run check:api`
//
// Needs Python from 3.9 on with venv and pip, and a package index. Where these are missing it says so, and ends with
// status 0. The seed is fixed, so each run makes the same requests.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAccess } from '../dist/access/index.js';
import { startServer } from '../dist/http/index.js';
import { openSkillSearch } from '../dist/index.js';

const PACKAGE = 'schemathesis==4.32.5';
const SEED = 20_260_101;
/** Requests in all modes together. */
const LEAST_CASES = 3000;
/** Random requests to each operation; those at the bounds of the description come on top. */
const CASES_PER_OPERATION = 500;

/** What a server may add to the specification. */
const MODES = [
  ['plain', {}],
  ['--compat skillsmp --publish all', { compatibility: 'skillsmp', publish: ['all'] }],
];

const NO_LIMIT = { daily: 0, perMinute: 0 };

const SUBJECTS = [
  'git worktree',
  'release notes',
  'pdf forms',
  'react testing',
  'sql review',
  'öffentliche Ämter',
  '日本語',
];

/** The one that the description has as an example of a download. */
const TEXT = '---\nname: react-component-testing\ndescription: Tests components.\n---\n';
const PUBLISHED = {
  name: 'react-component-testing',
  description: 'Tests components.',
  codehostUrl: 'https://github.com/fernhollow-sci/workbench',
  files: [
    { filename: 'SKILL.md', text: TEXT, complete: true, sha256: createHash('sha256').update(TEXT).digest('hex') },
  ],
};

/** Some with addresses and labels, some without, and pages to turn. */
const SKILLS = Array.from({ length: 60 }, (_, i) => {
  const subject = SUBJECTS[i % SUBJECTS.length];
  return {
    id: `skill-${i}`,
    name: `${subject} ${i}`,
    description: `Use when there is work with ${subject}, case 0 to ${i}.`,
    stars: i * 7,
    updatedAt: 1_700_000_000 + i * 86_400,
    ...(i % 3 === 0 ? { author: `author-${i % 5}`, codehostUrl: `https://github.com/owner-${i % 5}/skills` } : {}),
    ...(i % 4 === 0 ? { categories: ['testing'], occupations: ['software-developers-151252'], license: 'MIT' } : {}),
  };
});

/** Vectors of letters: what answers hold does not depend on how good they are, and no model is loaded. */
const EMBEDDER = {
  model: 'letters',
  async embed(texts) {
    return texts.map((text) => {
      const vector = new Float32Array(16).fill(0.01);
      for (const character of text) vector[character.codePointAt(0) % 16] += 1;
      const length = Math.hypot(...vector);
      return vector.map((value) => value / length);
    });
  },
};

const folder = mkdtempSync(join(tmpdir(), 'check-api-'));
try {
  process.exitCode = await check();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function check() {
  const schemathesis = install();
  if (schemathesis === undefined) return 0;
  // At the same time: each is one process of Python, which uses one core.
  const results = await Promise.all(MODES.map(([name, options]) => checkMode(schemathesis, name, options)));
  if (results.some(({ status }) => status !== 0)) return 1;
  const cases = results.reduce((sum, { count }) => sum + count, 0);
  console.log(`${cases} requests, and every answer is as /openapi.json says.`);
  if (cases >= LEAST_CASES) return 0;
  console.error(`These are less than ${LEAST_CASES}: raise CASES_PER_OPERATION.`);
  return 1;
}

/** Schemathesis in an environment of its own; undefined where it cannot be installed. */
function install() {
  const python = ['python3', 'python'].find((one) => {
    const code = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))';
    return spawnSync(one, ['-c', code], { stdio: 'ignore' }).status === 0;
  });
  if (python === undefined) return skip('there is no Python from 3.9 on with venv and pip');
  const environment = join(folder, 'python');
  const programs = join(environment, process.platform === 'win32' ? 'Scripts' : 'bin');
  if (spawnSync(python, ['-m', 'venv', environment], { stdio: 'ignore' }).status !== 0) {
    return skip('no environment of Python can be made');
  }
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--retries', '1', PACKAGE];
  const { status, stderr } = spawnSync(join(programs, 'python'), pip, { encoding: 'utf8', timeout: 180_000 });
  if (status !== 0) return skip(`pip cannot install ${PACKAGE}: ${stderr.trim().split('\n').at(-1) ?? ''}`);
  return join(programs, 'schemathesis');
}

function skip(reason) {
  console.log(`The API is not checked with schemathesis: ${reason}.`);
  return undefined;
}

async function checkMode(schemathesis, name, options) {
  const search = await openSkillSearch({ skills: [...SKILLS, PUBLISHED], embedder: EMBEDDER });
  const access = openAccess({ state: ':memory:', anonymous: NO_LIMIT, key: NO_LIMIT });
  const { key } = access.createKey();
  const limits = { pagesPerMinute: 0, findPerMinute: 0, publishedPerMinute: 0, longestWait: 0 };
  const server = await startServer(search, { access, port: 0, pages: true, ...limits, ...options });
  try {
    const { status, output } = await run(schemathesis, [
      ...['run', `${server.url}/openapi.json`, '--header', `Authorization: Bearer ${key}`],
      ...['--checks', 'all', '--phases', 'examples,coverage,fuzzing', '--mode', 'all'],
      ...['--seed', String(SEED), '--max-examples', String(CASES_PER_OPERATION), '--generation-database', 'none'],
      ...['--suppress-health-check', 'all', '--continue-on-failure', '--no-color', '--workers', '1'],
    ]);
    console.log(`\n${name}:\n${output}`);
    return { status, count: status === 0 ? countOf(output) : 0 };
  } finally {
    await server.close();
    access.close();
    await search.close();
  }
}

/** The requests that were made, as the summary says. */
function countOf(output) {
  return Number(/(\d+) generated, \d+ passed/.exec(output)?.[1] ?? 0);
}

function run(program, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: folder, env: { ...process.env, PYTHONUTF8: '1' } });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', reject);
    child.on('close', (status) => resolve({ status: status ?? 1, output }));
  });
}
