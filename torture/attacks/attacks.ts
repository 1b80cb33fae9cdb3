import { setTimeout as wait } from 'node:timers/promises';
import { oneOf, randomInteger } from '../trial.js';
import { type CatalogueName, HEAVY } from './hostile-catalogues.js';
import { type Asked, bytesOf, type Ending, type Keys, ordinaryRequests } from './requests.js';

/** Who attacks: sends what it likes from one address, and counts how it ends. */
interface Attacker {
  readonly random: () => number;
  readonly keys: Keys;
  /** Whether the time of the attack has come to its end. */
  readonly isOver: () => boolean;
  /** Asks on a new connection. */
  readonly ask: (asked: Asked) => Promise<Ending>;
  /** Sends bytes on a new connection, and reads until it is closed, for `patience` milliseconds at most. */
  readonly send: (bytes: string, patience?: number) => Promise<Ending>;
  /** Sends bytes on a new connection and leaves after some milliseconds, whatever has come. */
  readonly abandon: (bytes: readonly string[], pause: number) => Promise<Ending>;
}

/** A way to stop a server. */
export interface Attack {
  /** Kebab-case; the trial is `attack-<name>`. */
  readonly name: string;
  /** What is done, for the promise. */
  readonly what: string;
  /** `given` is the one of `--catalogue`. */
  readonly catalogue: CatalogueName | 'given';
  /** Further options of `serve`. */
  readonly serve?: readonly string[];
  /** Requests that are asked one at a time, twice each: none may block for long. */
  readonly alone: readonly Asked[] | ((port: number) => Promise<readonly Asked[]>);
  /** Goes on until its time is over. */
  readonly flood: (attacker: Attacker) => Promise<void>;
  /** Milliseconds of the long form, at least. */
  readonly least?: number;
}

const ANSWERS = { Accept: 'application/json, text/event-stream' };
/** Requests of a pipeline: fewer than the connection is destroyed for. */
const PIPELINED = 3000;
const MINUTES = 60_000;

/** A body for MCP: one message, or a batch. */
function mcp(messages: readonly object[], key?: Asked['key']): Asked {
  const all = messages.map((message, i) => ({ jsonrpc: '2.0', id: i + 1, ...message }));
  const body = JSON.stringify(all.length === 1 ? all[0] : all);
  return { method: 'POST', path: '/mcp', headers: ANSWERS, body, ...(key === undefined ? {} : { key }) };
}

function call(name: string, args: object): object {
  return { method: 'tools/call', params: { name, arguments: args } };
}

function read(skill: string, path = 'data.txt'): object {
  return { method: 'resources/read', params: { uri: `skill://${skill}/${skill}/${path}` } };
}

function repeated<T>(count: number, value: T): T[] {
  return Array.from({ length: count }, () => value);
}

/** Pages are asked one after the other, more of them than an address may ask. */
const UNCOUNTED = ['--pages-per-minute', '0', '--page-searches-per-minute', '0', '--find-per-minute', '0'];

function get(path: string): Asked {
  return { path };
}

/** Starts something again and again, whether what was started has ended or not; waits for the last. */
async function every(milliseconds: number, attacker: Attacker, act: () => Promise<unknown>): Promise<void> {
  const running = new Set<Promise<unknown>>();
  while (!attacker.isOver()) {
    if (running.size < 600) {
      const one = act();
      running.add(one);
      void one.finally(() => running.delete(one));
    }
    await wait(milliseconds);
  }
  await Promise.all(running);
}

/** Does something so many times at a time. */
async function atOnce(count: number, attacker: Attacker, act: () => Promise<unknown>): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async () => {
      do {
        const began = performance.now();
        await act();
        // Who is refused at once asks again soon, not without end.
        await wait(Math.max(0, 50 - (performance.now() - began)));
      } while (!attacker.isOver());
    }),
  );
}

const SEARCH = { query: 'kubernetes grafana', by: 'words', limit: 50, max_tokens: 2000 };
const ORDINARY_SEARCHES = ['release notes', 'react testing', 'data pipeline', 'browser archive', 'kubernets deploi'];
const FACETS = '/page/search?q=skill&mode=words&quick=1';

const PIPELINES: Attack = {
  name: 'pipelines',
  what: '50 connections a second, each with thousands of requests that cost nothing',
  catalogue: 'plain',
  alone: [get('/nothing'), get('/api/health')],
  flood: (attacker) =>
    every(20, attacker, () => {
      const path = attacker.random() < 0.5 ? '/nothing' : '/api/health';
      return attacker.send(bytesOf(get(path), attacker.keys, true).repeat(PIPELINED), 10_000);
    }),
};

const MCP_BATCHES: Attack = {
  name: 'mcp-batches',
  what: 'batches over MCP, of files of 16 MiB and of searches',
  catalogue: 'heavy',
  alone: [
    ...HEAVY.map((skill) => mcp([read(skill)], 'unlimited')),
    ...HEAVY.map((skill) => mcp([call('read_skill_file', { skill, path: 'data.txt' })], 'unlimited')),
    mcp(repeated(9, read('heavy-text')), 'unlimited'),
    mcp(repeated(9, read('heavy-escapes')), 'unlimited'),
    mcp(
      Array.from({ length: 30 }, (_, i) => call('search_skills', { query: ORDINARY_SEARCHES[i % 5] })),
      'unlimited',
    ),
  ],
  flood: async (attacker) => {
    await atOnce(2, attacker, async () => {
      const skill = oneOf(attacker.random, HEAVY);
      await attacker.ask(mcp(repeated(9, read(skill))));
      await attacker.ask(mcp(repeated(29, read(skill)), 'usual'));
      await attacker.ask(mcp(repeated(30, call('search_skills', { query: 'release notes' })), 'usual'));
    });
  },
};

const GROWING_TEXT: Attack = {
  name: 'growing-text',
  what: 'searches of skills whose text grows eighteenfold when it is normalised',
  catalogue: 'growing',
  alone: [
    mcp([call('search_skills', SEARCH)], 'unlimited'),
    ...[300, 20_000, 100_000].map((max) => mcp([call('search_skills', { ...SEARCH, max_tokens: max })], 'unlimited')),
    mcp([call('search_skills', { query: '\ufdfa'.repeat(1900), by: 'both' })], 'unlimited'),
    mcp([call('get_skill', { skill: 'growing-0' })], 'unlimited'),
    mcp([call('search_skills', { query: 'combining marks', by: 'words', limit: 50, max_tokens: 20_000 })], 'unlimited'),
    mcp([call('search_skills', { query: `a${'\u0300\u0316'.repeat(900)}` })], 'unlimited'),
    get('/page/search?q=combining+marks&quick=1'),
    get('/page/search?q=combinng+mrks&quick=1'),
    get('/skills/marked-0'),
    get('/skills/marked-0/files/SKILL.md'),
    get('/page/search?q=kubernets+grafna&quick=1'),
    get(`/page/search?q=${encodeURIComponent('\ufdfa'.repeat(200))}&quick=1`),
    get(`/?q=${encodeURIComponent('\ufdfa'.repeat(200))}`),
    get('/skills/growing-0'),
    { path: '/api/v1/skills/search?q=kubernetes+grafana&limit=50', key: 'unlimited' },
    { path: `/api/v1/skills/search?q=${encodeURIComponent('\ufdfa'.repeat(200))}`, key: 'unlimited' },
  ],
  flood: (attacker) =>
    atOnce(4, attacker, async () => {
      await attacker.ask(mcp([call('search_skills', { ...SEARCH, max_tokens: 20_000 })]));
      await attacker.ask(mcp([call('search_skills', { ...SEARCH, by: 'both' })], 'usual'));
      await attacker.ask(get('/page/search?q=kubernets+grafna&quick=1'));
      await attacker.ask(get('/skills/growing-1'));
    }),
};

const MANY_FILES: Attack = {
  name: 'many-files',
  what: 'lists of published skills that have hundreds of files and a front matter of thousands of tokens',
  catalogue: 'files',
  serve: ['--publish', 'all', '--compat', 'skillsmp'],
  alone: [
    mcp([{ method: 'skills/list', params: {} }], 'unlimited'),
    mcp([{ method: 'resources/list', params: {} }], 'unlimited'),
    mcp(repeated(9, { method: 'resources/list', params: {} }), 'unlimited'),
    mcp([{ method: 'resources/directory/read', params: { uri: 'skill://files-0/files-0' } }], 'unlimited'),
    mcp([call('get_skill', { skill: 'files-0' })], 'unlimited'),
    mcp(repeated(9, call('get_skill', { skill: 'files-0' })), 'unlimited'),
    mcp([call('search_skills', { query: 'many files', limit: 50 })], 'unlimited'),
    get('/skills/files-0'),
    get('/skills/files-0/files'),
    get('/skills/files-0/files/SKILL.md'),
    get('/skills/files-0/files/SKILL.md?view=source'),
    get('/.well-known/agent-skills/index.json'),
    get('/.well-known/skills/index.json'),
    get('/.well-known/agent-skills/files-0.tar.gz'),
  ],
  flood: (attacker) =>
    atOnce(8, attacker, async () => {
      const number = randomInteger(attacker.random, 20);
      // An address may have as many pages made at the same time.
      await Promise.all(Array.from({ length: 10 }, () => attacker.ask(get(`/skills/files-${number}`))));
      await attacker.ask(get(`/.well-known/agent-skills/files-${number}.tar.gz`));
      await attacker.ask(get('/.well-known/skills/index.json'));
      await attacker.ask(mcp([{ method: 'skills/list', params: {} }]));
      await attacker.ask(mcp(repeated(29, { method: 'resources/list', params: {} }), 'usual'));
    }),
};

const MANY_LABELS: Attack = {
  name: 'many-labels',
  what: 'lists and counts of millions of distinct labels',
  catalogue: 'labels',
  alone: [
    get('/'),
    get(FACETS),
    get(`${FACETS}&agent=agent-5-7`),
    get(`${FACETS}&scope=user`),
    get('/?q=labels&scope=project&agent=agent-5-3'),
    get('/?category=category-3-3'),
    get('/skills/labelled-5'),
    get('/openapi.json'),
    mcp([call('list_categories', {})], 'unlimited'),
    mcp([call('list_categories', { occupations: true })], 'unlimited'),
    mcp([call('search_skills', { query: 'labels', agent: 'agent-5-3', limit: 50 })], 'unlimited'),
    mcp([call('get_skill', { skill: 'labelled-5' })], 'unlimited'),
    { path: '/api/v1/skills/search?q=labels&limit=50', key: 'unlimited' },
    { path: '/api/v1/skills/search?q=labels&occupation=occupation-5-3', key: 'unlimited' },
  ],
  flood: (attacker) =>
    atOnce(8, attacker, async () => {
      await attacker.ask(get(oneOf(attacker.random, [`${FACETS}&scope=user`])));
      await attacker.ask(mcp([call('list_categories', { occupations: true })]));
      await attacker.ask(mcp([call('list_categories', {})], 'usual'));
    }),
};

const MANY_COPIES: Attack = {
  name: 'many-copies',
  what: 'skills of which there are very many copies',
  catalogue: 'copies',
  alone: [
    get('/skills/copy-7'),
    get('/'),
    get('/?page=3'),
    get('/page/search?q=copies&quick=1'),
    get('/page/search?q=copies&quick=1&page=50'),
    get('/page/search?q=one+adn+the+smae&quick=1'),
    { path: '/api/v1/skills/search?q=copies&limit=50&page=50', key: 'unlimited' },
    { path: '/api/v1/skills/search?q=%22many+copies%22&sortBy=stars', key: 'unlimited' },
    mcp([call('search_skills', { query: 'many copies', limit: 50 })], 'unlimited'),
    mcp([call('get_skill', { skill: 'copy-7' })], 'unlimited'),
    mcp([call('get_skill', { skill: 'one and the same' })], 'unlimited'),
    mcp([{ method: 'skills/list', params: {} }], 'unlimited'),
  ],
  flood: (attacker) =>
    atOnce(8, attacker, () => attacker.ask(get(`/skills/copy-${randomInteger(attacker.random, 40_000)}`))),
};

const ARCHIVES: readonly string[] = HEAVY.map((name) => `/.well-known/agent-skills/${name}.tar.gz`);

const DOWNLOADS: Attack = {
  name: 'downloads',
  what: '60 downloads of 16 MiB at a time',
  catalogue: 'heavy',
  serve: ['--publish', 'all', '--compat', 'skillsmp'],
  alone: [
    ...ARCHIVES.map(get),
    ...HEAVY.map((name) => get(`/.well-known/skills/${name}/data.txt`)),
    ...HEAVY.map((name) => get(`/skills/${name}/files/data.txt`)),
    ...HEAVY.map((name) => get(`/skills/${name}/files/data.txt?view=raw`)),
    get('/.well-known/agent-skills/index.json'),
    get('/.well-known/skills/index.json'),
  ],
  flood: (attacker) =>
    atOnce(60, attacker, async () => {
      const path = oneOf(attacker.random, ARCHIVES);
      if (attacker.random() < 0.2) await attacker.abandon([bytesOf(get(path), attacker.keys)], 100);
      else await attacker.ask(get(path));
    }),
};

/** Paths that clients of this service, and of others, ask for. */
const PATHS: readonly string[] = [
  '/',
  '/?q=release',
  '/page/search?q=relea&quick=1',
  '/skills/skill-7',
  '/skills/skill-7/files',
  '/?sortBy=recent',
  '/?page=999999999',
  '/openapi.json',
  '/robots.txt',
  '/favicon.ico',
  '/assets/page.css',
  '/assets/page.js',
  '/api/health',
  '/api/v1/skills/search?q=release',
  '/api/v1/skills/ai-search?q=release',
  '/api/search?q=release',
  '/api/download/a/b/c',
  '/mcp',
  '/.well-known/agent-skills/index.json',
  '/.well-known/skills/index.json',
  '/skills/%ff%fe',
  '//////',
  '/nothing',
  '*',
];

/** What addresses are filled with, up to 31 KB. */
const FILLERS: readonly string[] = [
  '%EF%B7%BA',
  'a+',
  'ab+cd+ef+gh+ij+',
  '%22a+b%22+',
  '%F0%9F%98%80',
  '%2F..',
  '(',
  '%00',
  '%E0%B8%81',
  '%CC%80%CC%96',
];

/** What takes a question, an address of a skill, or a path that nobody knows. */
const TAKERS: readonly string[] = [
  '/?q=',
  '/page/search?quick=1&q=',
  '/page/search?q=',
  '/api/v1/skills/search?q=',
  '/?author=',
  '/skills/',
  '/skills/skill-7/files/',
  '/.well-known/skills/',
  '/',
];

const PARAMETERS: readonly string[] = ['q=a&', 'a=1&', '&', 'category=x&', 'page=1&', '%71=%61&', 'minStars=1&'];
const WITH_PARAMETERS: readonly string[] = [
  '/',
  '/page/search',
  '/?sortBy=recent',
  '/api/v1/skills/search',
  '/api/search',
];

const ODD_BODIES: readonly string[] = [
  '['.repeat(900_000),
  `${'[1,'.repeat(100_000)}1${']'.repeat(100_000)}`,
  JSON.stringify(repeated(5000, { jsonrpc: '2.0', method: 'x' })),
  JSON.stringify(repeated(100, { jsonrpc: '2.0', id: 1, method: 'tools/list' })),
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`,
  JSON.stringify({
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: {
      name: 'search_skills',
      arguments: Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`argument-${i}`, i])),
    },
  }),
  JSON.stringify({
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name: 'get_skill', arguments: { skill: 'skill://'.repeat(100_000) } },
  }),
  JSON.stringify({
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name: 'search_skills', arguments: { query: `"${'a b '.repeat(200_000)}` } },
  }),
  JSON.stringify({ ...{ jsonrpc: '2.0', id: 1, method: 'resources/list' }, params: { cursor: 'a'.repeat(1_000_000) } }),
  'x'.repeat(3_000_000),
];

function filled(path: string, filler: string, length: number): Asked {
  return get(`${path}${filler.repeat(length / filler.length)}`);
}

/** Each of these may cost what a question costs, and no more. */
const ODD_ALONE: readonly Asked[] = [
  ...TAKERS.flatMap((path) => FILLERS.flatMap((filler) => [200, 31_000].map((length) => filled(path, filler, length)))),
  ...WITH_PARAMETERS.flatMap((path) => PARAMETERS.map((one) => filled(`${path}?`, one, 31_000))),
  ...ODD_BODIES.map((body): Asked => ({ method: 'POST', path: '/mcp', headers: ANSWERS, body, key: 'unlimited' })),
  ...['Accept', 'Accept-Encoding', 'If-None-Match', 'Origin', 'Authorization', 'X-Forwarded-For'].map(
    (name): Asked => ({ path: '/', headers: { [name]: 'a,"b";q=0.5,'.repeat(2500) } }),
  ),
];

type OddRequest = (attacker: Attacker) => Promise<unknown>;

const ODD_REQUESTS: readonly OddRequest[] = [
  (attacker) => attacker.ask({ method: oneOf(attacker.random, METHODS), path: oneOf(attacker.random, PATHS) }),
  // Many small questions on one connection.
  (attacker) =>
    attacker.send(
      `${oneOf(attacker.random, ['HEAD', 'OPTIONS'])} ${oneOf(attacker.random, PATHS)} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(
        100,
      ),
      1000,
    ),
  // A connection that says nothing, or is made and left.
  (attacker) => attacker.abandon([], randomInteger(attacker.random, 100)),
  // Half a request.
  (attacker) => {
    const whole = bytesOf({ path: oneOf(attacker.random, PATHS) }, attacker.keys);
    return attacker.abandon([whole.slice(0, randomInteger(attacker.random, whole.length))], 500);
  },
  // Slow headers.
  (attacker) =>
    attacker.abandon(['GET / HTTP/1.1\r\n', ...Array.from({ length: 50 }, (_, i) => `X-Header-${i}: slow\r\n`)], 20),
  // Headers and addresses of 32 KB and more.
  (attacker) =>
    attacker.ask({
      path: oneOf(attacker.random, PATHS),
      headers: { 'X-Long': 'x'.repeat(randomInteger(attacker.random, 40_000)) },
    }),
  (attacker) => {
    const length = oneOf(attacker.random, [200, 2000, 31_000]);
    return attacker.ask(filled(oneOf(attacker.random, TAKERS), oneOf(attacker.random, FILLERS), length));
  },
  // Thousands of parameters.
  (attacker) => {
    const path = `${oneOf(attacker.random, WITH_PARAMETERS)}?`;
    return attacker.ask(filled(path, oneOf(attacker.random, PARAMETERS), 31_000));
  },
  // A thousand headers.
  (attacker) => {
    const headers = Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`X-${i}`, 'a']));
    return attacker.ask({ path: oneOf(attacker.random, PATHS), headers });
  },
  // Bodies that MCP does not take, and messages of brackets.
  (attacker) => {
    const body = oneOf(attacker.random, ODD_BODIES);
    return attacker.ask({ method: 'POST', path: '/mcp', headers: ANSWERS, body });
  },
  // Answers that nobody reads to the end.
  (attacker) => attacker.abandon([bytesOf(get(oneOf(attacker.random, PATHS)), attacker.keys)], 1),
  // A stream of notifications that is left.
  (attacker) =>
    attacker.abandon([bytesOf({ path: '/mcp', headers: { Accept: 'text/event-stream' } }, attacker.keys)], 50),
  // Bytes that are no HTTP.
  (attacker) =>
    attacker.send(String.fromCharCode(...repeated(500, 0).map(() => randomInteger(attacker.random, 256))), 500),
];

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'TRACE', 'PROPFIND', 'GOT'];

const ODD: Attack = {
  name: 'odd-requests',
  what: 'odd and broken requests of all paths, at random',
  catalogue: 'plain',
  serve: [...UNCOUNTED, '--publish', 'all', '--compat', 'skillsmp'],
  alone: [...PATHS.map(get), ...ODD_ALONE],
  flood: (attacker) => atOnce(20, attacker, () => oneOf(attacker.random, ODD_REQUESTS)(attacker)),
};

const SINGLE: readonly Attack[] = [
  PIPELINES,
  MCP_BATCHES,
  GROWING_TEXT,
  MANY_FILES,
  MANY_LABELS,
  MANY_COPIES,
  DOWNLOADS,
  ODD,
];

const MIXTURE: Attack = {
  name: 'mixture',
  what: 'all of these attacks at the same time',
  catalogue: 'everything',
  // All that is complete: the heavy ones, and some of the ordinary ones.
  serve: ['--publish', 'all', '--compat', 'skillsmp'],
  alone: [],
  flood: async (attacker) => {
    await Promise.all(SINGLE.map(({ flood }) => flood(attacker)));
  },
  least: 5 * MINUTES,
};

const ORDINARY_USE: Attack = {
  name: 'ordinary-use',
  what: 'ordinary use of a catalogue of your own (`--catalogue`), each page and operation, the first time and again',
  catalogue: 'given',
  serve: [
    '--pages-per-minute',
    '0',
    '--page-searches-per-minute',
    '0',
    '--find-per-minute',
    '0',
    '--compat',
    'skillsmp',
  ],
  alone: ordinaryRequests,
  flood: (attacker) =>
    every(100, attacker, () => {
      const q = encodeURIComponent(oneOf(attacker.random, ORDINARY_SEARCHES));
      const paths = [`/?q=${q}`, `/page/search?q=${q.slice(0, 9)}&quick=1`, '/?page=7'];
      return attacker.ask(get(oneOf(attacker.random, paths)));
    }),
};

/** Every attack, the mixture after those that it is made of. */
export const ATTACKS: readonly Attack[] = [...SINGLE, MIXTURE, ORDINARY_USE];
