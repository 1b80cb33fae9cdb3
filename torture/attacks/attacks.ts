import { setTimeout as wait } from 'node:timers/promises';
import { oneOf, randomInteger } from '../trial.js';
import { type CatalogueName, HEAVY } from './hostile-catalogues.js';
import { type Asked, bytesOf, type Ending, type Keys } from './requests.js';

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
  readonly catalogue: CatalogueName;
  /** Further options of `serve`. */
  readonly serve?: readonly string[];
  /** Requests that are asked one at a time, twice each: none may block for long. */
  readonly alone: readonly Asked[];
  /** How many do at the same time what `round` does, over and over. */
  readonly clients: number;
  readonly round: (attacker: Attacker) => Promise<unknown>;
  /** Milliseconds of the long form, at least. */
  readonly least?: number;
}

/** Attacks until the time is over. */
export async function flood({ clients, round }: Attack, attacker: Attacker): Promise<void> {
  await Promise.all(
    Array.from({ length: clients }, async () => {
      do {
        const began = performance.now();
        await round(attacker);
        // Who is refused at once asks again soon, not without end.
        await wait(Math.max(0, 50 - (performance.now() - began)));
      } while (!attacker.isOver());
    }),
  );
}

const ANSWERS = { Accept: 'application/json, text/event-stream' };

function get(path: string): Asked {
  return { path };
}

/** Paths with white space between. */
function paths(list: string): Asked[] {
  return list.trim().split(/\s+/).map(get);
}

/** Searches of the API with a key that has no limit. */
function searches(...queries: readonly string[]): Asked[] {
  return queries.map((query) => ({ path: `/api/v1/skills/search?${query}`, key: 'unlimited' }));
}

/** A message of MCP. */
function mcp(message: object, key?: Asked['key']): Asked {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...message });
  return { method: 'POST', path: '/mcp', headers: ANSWERS, body, ...(key === undefined ? {} : { key }) };
}

/** Messages with a key that has no limit. */
function messages(...all: readonly object[]): Asked[] {
  return all.map((one) => mcp(one, 'unlimited'));
}

function call(name: string, args: object): object {
  return { method: 'tools/call', params: { name, arguments: args } };
}

function search(query: string, more: object = { limit: 50 }): object {
  return call('search_skills', { query, ...more });
}

function read(skill: string): object {
  return { method: 'resources/read', params: { uri: `skill://${skill}/${skill}/data.txt` } };
}

function repeated<T>(count: number, value: T): T[] {
  return Array.from({ length: count }, () => value);
}

async function askAll(attacker: Attacker, all: readonly Asked[]): Promise<void> {
  for (const one of all) await attacker.ask(one);
}

const PUBLISHED = ['--publish', 'all', '--compat', 'skillsmp'];
const LIGATURES = encodeURIComponent('\ufdfa'.repeat(200));
const FACETS = '/page/search?q=skill&mode=words&quick=1';
const LONG_SEARCH = { by: 'words', limit: 50, max_tokens: 20_000 };

const SINGLE: readonly Attack[] = [
  {
    name: 'pipelines',
    what: '50 connections a second, each with thousands of requests that cost nothing',
    catalogue: 'plain',
    alone: paths('/nothing /api/health'),
    clients: 50,
    // Fewer than the connection is destroyed for.
    round: ({ random, keys, send }) =>
      send(bytesOf(get(random() < 0.5 ? '/nothing' : '/api/health'), keys, true).repeat(3000), 10_000),
  },
  {
    name: 'mcp-messages',
    what: 'messages over MCP, which read files of 16 MiB and search',
    catalogue: 'heavy',
    alone: [
      ...messages(...HEAVY.map(read)),
      ...messages(...HEAVY.map((skill) => call('read_skill_file', { skill, path: 'data.txt' }))),
      ...messages(search('kubernets deploi', {})),
    ],
    clients: 20,
    round: (attacker) => {
      const heavy = read(oneOf(attacker.random, HEAVY));
      return askAll(attacker, [mcp(heavy), ...messages(heavy, search('release notes', {}))]);
    },
  },
  {
    name: 'growing-text',
    what: 'searches of skills whose text grows eighteenfold when it is normalised',
    catalogue: 'growing',
    alone: [
      ...messages(
        ...[300, 2000, 100_000].map((max) => search('kubernetes grafana', { ...LONG_SEARCH, max_tokens: max })),
        search('\ufdfa'.repeat(1900), { by: 'both' }),
        search('combining marks', LONG_SEARCH),
        search(`a${'\u0300\u0316'.repeat(900)}`, {}),
        call('get_skill', { skill: 'growing-0' }),
      ),
      ...paths(`/page/search?q=combining+marks&quick=1 /page/search?q=combinng+mrks&quick=1 /skills/marked-0
        /skills/marked-0/files/SKILL.md /page/search?q=kubernets+grafna&quick=1 /skills/growing-0
        /page/search?q=${LIGATURES}&quick=1 /?q=${LIGATURES}`),
      ...searches('q=kubernetes+grafana&limit=50', `q=${LIGATURES}`),
    ],
    clients: 4,
    round: (attacker) =>
      askAll(attacker, [
        mcp([search('kubernetes grafana', LONG_SEARCH)]),
        mcp([search('kubernetes grafana', { ...LONG_SEARCH, by: 'both' })], 'usual'),
        ...paths('/page/search?q=kubernets+grafna&quick=1 /skills/growing-1'),
      ]),
  },
  {
    name: 'many-files',
    what: 'lists of published skills that have hundreds of files and a front matter of thousands of tokens',
    catalogue: 'files',
    serve: PUBLISHED,
    alone: [
      ...messages(
        { method: 'skills/list', params: {} },
        { method: 'resources/list', params: {} },
        { method: 'resources/directory/read', params: { uri: 'skill://files-0/files-0' } },
        call('get_skill', { skill: 'files-0' }),
        search('many files'),
      ),
      mcp(repeated(9, { method: 'resources/list', params: {} }), 'unlimited'),
      mcp(repeated(9, call('get_skill', { skill: 'files-0' })), 'unlimited'),
      ...paths(`/skills/files-0 /skills/files-0/files /skills/files-0/files/SKILL.md
        /skills/files-0/files/SKILL.md?view=source /.well-known/agent-skills/index.json
        /.well-known/skills/index.json /.well-known/agent-skills/files-0.tar.gz`),
    ],
    clients: 8,
    round: async (attacker) => {
      const skill = `files-${randomInteger(attacker.random, 20)}`;
      // An address may have as many pages made at the same time.
      await Promise.all(repeated(10, get(`/skills/${skill}`)).map(attacker.ask));
      await askAll(attacker, [
        ...paths(`/.well-known/agent-skills/${skill}.tar.gz /.well-known/skills/index.json`),
        mcp([{ method: 'skills/list', params: {} }]),
        mcp(repeated(29, { method: 'resources/list', params: {} }), 'usual'),
      ]);
    },
  },
  {
    name: 'many-labels',
    what: 'lists and counts of millions of distinct labels',
    catalogue: 'labels',
    alone: [
      ...paths(`/ ${FACETS} ${FACETS}&agent=agent-5-7 ${FACETS}&scope=user /?category=category-3-3
        /?q=labels&scope=project&agent=agent-5-3 /skills/labelled-5 /openapi.json`),
      ...messages(
        call('list_categories', {}),
        call('list_categories', { occupations: true }),
        search('labels', { agent: 'agent-5-3', limit: 50 }),
        call('get_skill', { skill: 'labelled-5' }),
      ),
      ...searches('q=labels&limit=50', 'q=labels&occupation=occupation-5-3'),
    ],
    clients: 8,
    round: (attacker) =>
      askAll(attacker, [
        get(`${FACETS}&scope=user`),
        mcp([call('list_categories', { occupations: true })]),
        mcp([call('list_categories', {})], 'usual'),
      ]),
  },
  {
    name: 'many-copies',
    what: 'skills of which there are very many copies',
    catalogue: 'copies',
    alone: [
      ...paths(`/skills/copy-7 / /?page=3 /page/search?q=copies&quick=1 /page/search?q=copies&quick=1&page=50
        /page/search?q=one+adn+the+smae&quick=1`),
      ...searches('q=copies&limit=50&page=50', 'q=%22many+copies%22&sortBy=stars'),
      ...messages(
        search('many copies'),
        call('get_skill', { skill: 'copy-7' }),
        call('get_skill', { skill: 'one and the same' }),
        { method: 'skills/list', params: {} },
      ),
    ],
    clients: 8,
    round: ({ ask, random }) => ask(get(`/skills/copy-${randomInteger(random, 40_000)}`)),
  },
  {
    name: 'downloads',
    what: '60 downloads of 16 MiB at a time',
    catalogue: 'heavy',
    serve: PUBLISHED,
    alone: [
      ...HEAVY.flatMap((name) =>
        paths(`/.well-known/agent-skills/${name}.tar.gz /.well-known/skills/${name}/data.txt
          /skills/${name}/files/data.txt /skills/${name}/files/data.txt?view=raw`),
      ),
      ...paths('/.well-known/agent-skills/index.json /.well-known/skills/index.json'),
    ],
    clients: 60,
    round: ({ ask, abandon, random, keys }) => {
      const archive = get(`/.well-known/agent-skills/${oneOf(random, HEAVY)}.tar.gz`);
      return random() < 0.2 ? abandon([bytesOf(archive, keys)], 100) : ask(archive);
    },
  },
];

/** Paths that clients of this service, and of others, ask for. */
const PATHS = `/ /?q=release /page/search?q=relea&quick=1 /skills/skill-7 /skills/skill-7/files /?sortBy=recent
  /?page=999999999 /openapi.json /robots.txt /favicon.ico /assets/page.css /assets/page.js /api/health
  /api/v1/skills/search?q=release /api/v1/skills/ai-search?q=release /api/search?q=release /api/download/a/b/c /mcp
  /.well-known/agent-skills/index.json /.well-known/skills/index.json /skills/%ff%fe ////// /nothing *`.split(/\s+/);

/** What addresses are filled with, up to 31 KB. */
const FILLERS =
  '%EF%B7%BA a+ ab+cd+ef+gh+ij+ %22a+b%22+ %F0%9F%98%80 %2F.. ( %00 %E0%B8%81 %CC%80%CC%96 q=a& a=1& & %71=%61&'.split(
    ' ',
  );

/** What takes a question, an address of a skill, parameters, or a path that nobody knows. */
const TAKERS = `/?q= /page/search?quick=1&q= /page/search?q= /api/v1/skills/search?q= /?author= /skills/ /?
  /skills/skill-7/files/ /.well-known/skills/ / /page/search? /api/v1/skills/search? /api/search?`.split(/\s+/);

function toolBody(name: string, args: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, ...call(name, args) });
}

const ODD_BODIES: readonly string[] = [
  '['.repeat(900_000),
  `${'[1,'.repeat(100_000)}1${']'.repeat(100_000)}`,
  JSON.stringify(repeated(5000, { jsonrpc: '2.0', method: 'x' })),
  JSON.stringify(repeated(100, { jsonrpc: '2.0', id: 1, method: 'tools/list' })),
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`,
  toolBody('search_skills', Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`argument-${i}`, i]))),
  toolBody('get_skill', { skill: 'skill://'.repeat(100_000) }),
  toolBody('search_skills', { query: `"${'a b '.repeat(200_000)}` }),
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/list', params: { cursor: 'a'.repeat(1_000_000) } }),
  'x'.repeat(3_000_000),
];

function filled(path: string, filler: string, length: number): Asked {
  return get(`${path}${filler.repeat(length / filler.length)}`);
}

type OddRequest = (attacker: Attacker) => Promise<unknown>;

const METHODS = 'GET HEAD OPTIONS POST PUT DELETE TRACE PROPFIND GOT'.split(' ');

const ODD_REQUESTS: readonly OddRequest[] = [
  ({ ask, random }) => ask({ method: oneOf(random, METHODS), path: oneOf(random, PATHS) }),
  // Many small questions on one connection.
  ({ send, random }) =>
    send(`${oneOf(random, ['HEAD', 'OPTIONS'])} ${oneOf(random, PATHS)} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(100), 1000),
  // A connection that says nothing, or is made and left.
  ({ abandon, random }) => abandon([], randomInteger(random, 100)),
  // Half a request.
  ({ abandon, random, keys }) => {
    const whole = bytesOf({ path: oneOf(random, PATHS) }, keys);
    return abandon([whole.slice(0, randomInteger(random, whole.length))], 500);
  },
  // Slow headers.
  ({ abandon }) =>
    abandon(['GET / HTTP/1.1\r\n', ...Array.from({ length: 50 }, (_, i) => `X-Header-${i}: slow\r\n`)], 20),
  // Headers and addresses of 32 KB and more.
  ({ ask, random }) =>
    ask({ path: oneOf(random, PATHS), headers: { 'X-Long': 'x'.repeat(randomInteger(random, 40_000)) } }),
  ({ ask, random }) => ask(filled(oneOf(random, TAKERS), oneOf(random, FILLERS), oneOf(random, [200, 2000, 31_000]))),
  // A thousand headers.
  ({ ask, random }) => {
    const headers = Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`X-${i}`, 'a']));
    return ask({ path: oneOf(random, PATHS), headers });
  },
  // Bodies that MCP does not take, and messages of brackets.
  ({ ask, random }) => ask({ method: 'POST', path: '/mcp', headers: ANSWERS, body: oneOf(random, ODD_BODIES) }),
  // Answers that nobody reads to the end, and a stream of notifications that is left.
  ({ abandon, random, keys }) => abandon([bytesOf(get(oneOf(random, PATHS)), keys)], 1),
  ({ abandon, keys }) => abandon([bytesOf({ path: '/mcp', headers: { Accept: 'text/event-stream' } }, keys)], 50),
  // Bytes that are no HTTP.
  ({ send, random }) => send(String.fromCharCode(...repeated(500, 0).map(() => randomInteger(random, 256))), 500),
];

const ODD: Attack = {
  name: 'odd-requests',
  what: 'odd and broken requests of all paths, at random',
  catalogue: 'plain',
  // Pages are asked one after the other, more of them than an address may ask.
  serve: [...['pages', 'page-searches', 'find'].flatMap((what) => [`--${what}-per-minute`, '0']), ...PUBLISHED],
  // Each of these may cost what a question costs, and no more.
  alone: [
    ...PATHS.map(get),
    ...TAKERS.flatMap((path) =>
      FILLERS.flatMap((filler) => [200, 31_000].map((length) => filled(path, filler, length))),
    ),
    ...ODD_BODIES.map((body): Asked => ({ method: 'POST', path: '/mcp', headers: ANSWERS, body, key: 'unlimited' })),
    ...['Accept', 'Accept-Encoding', 'If-None-Match', 'Origin', 'Authorization', 'X-Forwarded-For'].map(
      (name): Asked => ({ path: '/', headers: { [name]: 'a,"b";q=0.5,'.repeat(2500) } }),
    ),
  ],
  clients: 20,
  round: (attacker) => oneOf(attacker.random, ODD_REQUESTS)(attacker),
};

const PARTS: readonly Attack[] = [...SINGLE, ODD];

/** Every attack, the mixture after those that it is made of. */
export const ATTACKS: readonly Attack[] = [
  ...PARTS,
  {
    name: 'mixture',
    what: 'all of these attacks at the same time',
    catalogue: 'everything',
    // All that is complete: the heavy ones, and some of the ordinary ones.
    serve: PUBLISHED,
    alone: [],
    clients: 1,
    round: (attacker) => Promise.all(PARTS.map((attack) => flood(attack, attacker))),
    least: 5 * 60_000,
  },
];
