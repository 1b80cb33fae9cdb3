import { readFileSync } from 'node:fs';
import { connect } from 'node:net';

/** A request of a client that is no browser. */
export interface Asked {
  /** `GET` if it is left out. */
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whose key it brings: one with the usual quota, or one without limits. */
  readonly key?: 'usual' | 'unlimited';
}

/** How a request ended: the status, or what became of its connection. */
export type Ending = number | 'closed' | 'refused' | 'no answer';

/** The keys of a server, by who has them. */
export type Keys = Readonly<Record<'usual' | 'unlimited', string>>;

/** Where a request comes from and goes to. */
export interface Line {
  readonly port: number;
  /** An address of this machine, 127.x.x.x: servers tell clients apart by it. */
  readonly from: string;
  readonly keys: Keys;
  /** Milliseconds until the connection is cut. */
  readonly patience: number;
}

/** The bytes of a request, on a connection that is closed afterwards unless `keep`. */
export function bytesOf({ method = 'GET', path, headers = {}, body, key }: Asked, keys: Keys, keep = false): string {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    ...(key === undefined ? [] : [`Authorization: Bearer ${keys[key]}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
    ...(keep ? [] : ['Connection: close']),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}

/** Sends bytes on a connection of its own, reads until the server closes it, and tells the first status. */
export function send(line: Line, bytes: string): Promise<Ending> {
  return new Promise((resolve) => {
    const socket = connect({ port: line.port, host: '127.0.0.1', localAddress: line.from });
    let [isConnected, isCut] = [false, false];
    let head = '';
    const timer = setTimeout(() => {
      isCut = true;
      socket.destroy();
    }, line.patience);
    socket.once('connect', () => {
      isConnected = true;
      socket.write(bytes);
    });
    socket.on('data', (data: Buffer) => {
      if (head.length < 100) head += data.toString('latin1', 0, 100);
    });
    // The close tells it.
    socket.on('error', () => {});
    socket.once('close', () => {
      clearTimeout(timer);
      const status = /^HTTP\/1\.1 (\d{3})/.exec(head)?.[1];
      if (isCut) resolve('no answer');
      else resolve(status === undefined ? (isConnected ? 'closed' : 'refused') : Number(status));
    });
  });
}

/** Requests in plain language that are asked. */
const QUESTIONS = 60;
/** Words that half of all skills have, and the like: what a question of few words can cost. */
const COSTLY: readonly string[] = [
  'use',
  'the and for with',
  'skill code data api test',
  '"use when"',
  '"the skill"',
  'a b c d e f g h i j k l m n o p q r s t u v w x y z',
  'dat tes cod api ski us th an fo wi cre bui dev',
  'kubernets grafna prometeus dashbord alertmanger',
  '中文 数据 分析',
  'code-review',
];

/**
 * Each page and operation of a catalogue, and costly questions to those that take any.
 *
 * @param port of a server of the catalogue
 */
export async function ordinaryRequests(port: number): Promise<readonly Asked[]> {
  const list = new URL('../../bench/requests/fit/queries.jsonl', import.meta.url);
  const lines = readFileSync(list, 'utf8').trim().split('\n').slice(0, QUESTIONS);
  const plain = lines.map((line) => (JSON.parse(line) as { readonly text: string }).text);
  // Browsing is asked first anyway, and so is what the page of skills tells their ids by.
  const browsed = await fetch(`http://127.0.0.1:${port}/?sortBy=stars`).then((answer) => answer.text());
  const ids = [...new Set([...browsed.matchAll(/href="\/skills\/([^"/?]+)/g)].map(([, id]) => id!))].slice(0, 5);
  const paths = [
    '/',
    '/?sortBy=recent',
    '/?page=2000',
    '/?sortBy=stars&page=2000',
    '/?category=data-ai',
    '/?minStars=1',
    '/openapi.json',
    '/assets/page.js',
    '/robots.txt',
    ...ids.flatMap((id) => [`/skills/${id}`, `/skills/${id}/files`]),
  ];
  const asked = [...COSTLY, ...plain];
  return [
    ...paths.map((path) => ({ path })),
    ...asked.flatMap((question) => {
      const short = encodeURIComponent([...question].slice(0, 200).join(''));
      return [
        { path: `/page/search?quick=1&q=${short}` },
        { path: `/api/v1/skills/search?limit=50&q=${short}`, key: 'unlimited' as const },
        { path: `/api/v1/skills/ai-search?q=${short}`, key: 'unlimited' as const },
        { path: `/api/search?q=${short}` },
        toolCall('search_skills', { query: question.slice(0, 2000), limit: 50, max_tokens: 2000 }),
      ];
    }),
    ...ids.map((id) => toolCall('get_skill', { skill: decodeURIComponent(id) })),
    toolCall('list_categories', { occupations: true }),
  ];
}

function toolCall(name: string, args: object): Asked {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
  const headers = { Accept: 'application/json, text/event-stream' };
  return { method: 'POST', path: '/mcp', headers, body, key: 'unlimited' };
}
