import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, test } from 'vitest';
import { MAX_KEYWORD_QUERY_LENGTH, MAX_LIMIT, MAX_PAGE, MAX_SEMANTIC_QUERY_LENGTH } from '../../src/core/index.js';
import { DEFAULT_LIMIT, DEFAULT_SEMANTIC_LIMIT } from '../../src/query.js';
import { row } from '../rows.js';
import { FIND, HEALTH, KEYWORD, keyword, ORIGIN, type Reply, SEMANTIC, searchOver, semantic, serve } from './ask.js';
import { schemaFaults } from './shapes.js';

type Json = Readonly<Record<string, unknown>>;

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security?: readonly Json[];
  readonly parameters?: readonly {
    name: string;
    in: string;
    required: boolean;
    schema: Json;
    example: string | number;
  }[];
  readonly responses: Readonly<
    Record<
      string,
      {
        headers?: Json;
        content: { 'application/json': { schema: Json; examples?: Readonly<Record<string, ErrorExample>> } };
      }
    >
  >;
}

interface ErrorExample {
  readonly value: { readonly error: { readonly code: string } };
}

interface Description extends Json {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly Json[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly securitySchemes: Json;
    readonly schemas: Readonly<Record<string, Json>>;
    readonly headers: Readonly<Record<string, Json>>;
  };
}

const MCP = '/mcp';
const SKILLS = Array.from({ length: 30 }, (_, i) => row(`k${i}`, { stars: i, updatedAt: 1_700_000_000 + i }));

describe('/openapi.json', () => {
  test('describes the three operations of the specification, version 1.0.0, at the public URL', async () => {
    const { ask } = await serve(SKILLS, { pages: true, publicUrl: 'https://skills.example/base/' });
    const reply = await ask('/openapi.json');
    expect([reply.status, reply.headers.get('Content-Type')]).toEqual([200, 'application/json; charset=utf-8']);
    const description = reply.body as Description;
    expect(description).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\./),
      info: { version: '1.0.0' },
      servers: [{ url: 'https://skills.example/base' }],
    });
    const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, tags }]) => [path, method, operationId, tags]),
    );
    expect(operations).toEqual([
      [KEYWORD, 'get', 'searchSkills', ['Skills']],
      [SEMANTIC, 'get', 'aiSearchSkills', ['Skills']],
      [HEALTH, 'get', 'healthCheck', ['System']],
    ]);
  });

  test('has the parameters of the specification and our own filters, with the constants of the library', async () => {
    const { paths } = await described();
    const slug = { type: 'string', minLength: 1, pattern: '^[a-z0-9-]+$' };
    const text = { type: 'string', minLength: 1, maxLength: 200, pattern: expect.any(String) };
    const time = { type: 'string', minLength: 1, pattern: expect.any(String) };
    // What it refuses is tested at the bounds.
    const question = { $ref: '#/components/schemas/Question', not: { pattern: expect.any(String) } };
    const own = [
      ['author', 'query', false, text],
      ['license', 'query', false, text],
      ['minStars', 'query', false, { type: 'integer', minimum: 0, maximum: 999_999_999_999_999 }],
      ['updatedAfter', 'query', false, time],
      ['updatedBefore', 'query', false, time],
      ['agent', 'query', false, slug],
      ['scope', 'query', false, { type: 'string', enum: ['project', 'user', 'plugin', 'system'] }],
      ['invocable', 'query', false, { type: 'boolean' }],
    ];
    expect(parametersOf(paths, KEYWORD)).toEqual([
      ['q', 'query', true, question],
      ['page', 'query', false, { type: 'integer', minimum: 1, maximum: MAX_PAGE, default: 1 }],
      ['limit', 'query', false, { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT }],
      ['sortBy', 'query', false, { type: 'string', enum: ['recent', 'stars'], default: 'recent' }],
      ['category', 'query', false, slug],
      ['occupation', 'query', false, slug],
      ...own,
    ]);
    expect([MAX_KEYWORD_QUERY_LENGTH, MAX_PAGE, MAX_LIMIT, DEFAULT_LIMIT]).toEqual([200, 50, 50, 20]);
    expect(parametersOf(paths, SEMANTIC)).toEqual([['q', 'query', true, question], ...own]);
    expect(MAX_SEMANTIC_QUERY_LENGTH).toBe(2000);
    expect(operationOf(paths, HEALTH).parameters).toBeUndefined();
    expect(JSON.stringify(operationOf(paths, SEMANTIC).responses)).toContain(`"maxItems":${DEFAULT_SEMANTIC_LIMIT}`);
  });

  test('has the bounds that are kept: what it allows is answered, what is just beyond is 400', async () => {
    const description = await described();
    const { ask, key } = await serve(SKILLS);
    for (const path of [KEYWORD, SEMANTIC]) {
      for (const { name, schema } of operationOf(description.paths, path).parameters ?? []) {
        const { allowed, refused } = valuesOf(description, schema);
        const statuses = async (values: readonly (string | number)[]) =>
          Promise.all(
            values.map(async (value) => {
              const rest = name === 'q' ? '' : 'q=name&';
              const { status } = await ask(`${path}?${rest}${name}=${encodeURIComponent(value)}`, { key });
              return [value, status];
            }),
          );
        expect(await statuses(allowed), name).toEqual(allowed.map((value) => [value, 200]));
        expect(await statuses(refused), name).toEqual(refused.map((value) => [value, 400]));
        expect(allowed.length * refused.length, name).toBeGreaterThan(0);
      }
    }
  });

  test('describes real answers, good and bad, to the last field', async () => {
    const description = await described();
    const { ask, access, key } = await serve(SKILLS);
    const closed = await searchOver(SKILLS);
    const gone = await serve(closed);
    await closed.close();
    const few = access.createKey({ daily: 1 }).key;
    await ask(semantic('name'), { key: few });
    const replies: [string, Reply][] = [
      [KEYWORD, await ask(keyword({ q: 'name' }))],
      [KEYWORD, await ask(keyword({ q: 'submarine' }))],
      [KEYWORD, await ask(KEYWORD)],
      [KEYWORD, await ask(keyword({ q: 'name', page: 51 }))],
      [KEYWORD, await ask(keyword({ q: 'name' }), { key: 'wrong' })],
      [KEYWORD, await ask(keyword({ q: 'name' }), { key: few })],
      [KEYWORD, await gone.ask(keyword({ q: 'name' }))],
      [SEMANTIC, await ask(semantic('name'), { key })],
      [SEMANTIC, await ask(SEMANTIC, { key })],
      [SEMANTIC, await ask(semantic('name'))],
      [SEMANTIC, await ask(semantic('name'), { key: few })],
      [SEMANTIC, await gone.ask(semantic('name'), { key: gone.key })],
      [HEALTH, await ask(HEALTH)],
      [HEALTH, await gone.ask(HEALTH)],
    ];
    expect(replies.map(([, { status }]) => status)).toEqual([
      200, 200, 400, 400, 401, 429, 503, 200, 400, 401, 429, 503, 200, 503,
    ]);
    for (const [path, { status, body, headers }] of replies) {
      const response = operationOf(description.paths, path).responses[status];
      const schema = response?.content['application/json'].schema as Json;
      expect(schemaFaults(description, schema, body), `${path} ${status}`).toEqual([]);
      for (const [name, header] of Object.entries(response?.headers ?? {})) {
        const { required, schema: shape } = resolved(description, header as Json) as {
          required: boolean;
          schema: Json;
        };
        if (!required && !headers.has(name)) continue;
        const sent = headers.get(name);
        const value = shape['type'] === 'integer' || typeof shape['const'] === 'number' ? Number(sent) : sent;
        expect(schemaFaults(description, shape, value), `${path} ${status} ${name}`).toEqual([]);
      }
      const known = Object.keys(response?.headers ?? {}).map((name) => name.toLowerCase());
      const told = [...headers.keys()].filter((name) => /^(x-r|retry|www)/.test(name));
      expect(known, `${path} ${status}`).toEqual(expect.arrayContaining(told));
    }
  });

  test('names every status that an operation answers, and every code, with an example of each', async () => {
    const { paths, components } = await described();
    const statusesOf = (path: string): string[] => Object.keys(operationOf(paths, path).responses);
    expect(statusesOf(KEYWORD)).toEqual(['200', '400', '401', '408', '429', '431', '500', '503']);
    expect(statusesOf(SEMANTIC)).toEqual(statusesOf(KEYWORD));
    expect(statusesOf(HEALTH)).toEqual(['200', '408', '431', '500', '503']);
    const { properties } = components.schemas['Error'] as {
      properties: { error: { properties: { code: { enum: string[] } } } };
    };
    const named = properties.error.properties.code.enum;
    const shown = new Set<string>();
    for (const path of [KEYWORD, SEMANTIC]) {
      for (const { content } of Object.values(operationOf(paths, path).responses)) {
        for (const [code, { value }] of Object.entries(content['application/json'].examples ?? {})) {
          expect(value.error.code).toBe(code);
          shown.add(code);
        }
      }
    }
    // These two are answers to what the description does not have.
    const elsewhere = ['ENDPOINT_NOT_FOUND', 'METHOD_NOT_ALLOWED'];
    expect([...shown, ...elsewhere].toSorted()).toEqual(named.toSorted());
  });

  test('describes what is added for clients of the public service, where it is', async () => {
    const { ask, key } = await serve(SKILLS, { pages: true, compatibility: 'skillsmp' });
    const description = (await ask('/openapi.json')).body as Description;
    const { paths } = description;
    expect(Object.keys(paths)).toEqual([KEYWORD, SEMANTIC, HEALTH, FIND]);
    expect(operationOf(paths, FIND)).toMatchObject({ operationId: 'findSkills', security: [{}] });
    const replies: [string, Reply][] = [
      [KEYWORD, await ask(keyword({ q: 'name', limit: 100 }))],
      [SEMANTIC, await ask(`${semantic('name')}&page=2`, { key })],
      [FIND, await ask(`${FIND}?q=name&limit=100`)],
      [FIND, await ask(FIND)],
    ];
    expect(replies.map(([, { status }]) => status)).toEqual([200, 200, 200, 400]);
    for (const [path, { status, body }] of replies) {
      const schema = operationOf(paths, path).responses[status]?.content['application/json'].schema as Json;
      expect(schemaFaults(description, schema, body), `${path} ${status}`).toEqual([]);
    }
    expect(parametersOf(paths, SEMANTIC)[1]).toEqual(parametersOf(paths, KEYWORD)[1]);
    for (const path of [KEYWORD, FIND]) {
      const limit = operationOf(paths, path).parameters?.find(({ name }) => name === 'limit')?.schema;
      expect(limit).toEqual({ type: 'integer', minimum: 1, default: DEFAULT_LIMIT });
    }
  });

  test.each([
    { pages: true },
    { pages: true, mcp: true },
    { pages: true, compatibility: 'skillsmp', mcp: true, publish: ['all'] },
  ] as const)('has the operations that the router has with %j, with their methods, and no others', async (options) => {
    const { ask } = await serve(SKILLS, { ...options, allowedHosts: [new URL(ORIGIN).hostname] });
    const { paths } = (await ask('/openapi.json')).body as Description;
    const isCompatible = 'compatibility' in options;
    const expected = [
      ...[KEYWORD, SEMANTIC, HEALTH],
      ...(isCompatible ? [FIND] : []),
      ...(isCompatible && 'publish' in options ? ['/api/download/{owner}/{repository}/{skill}'] : []),
      ...('mcp' in options ? [MCP] : []),
    ];
    expect(Object.keys(paths)).toEqual(expected);
    // Each is answered, with these methods only.
    for (const path of expected) {
      const methods = Object.keys(paths[path] ?? {}).map((method) => method.toUpperCase());
      expect(methods).toEqual(path === MCP ? ['POST', 'GET', 'DELETE'] : ['GET']);
      for (const method of ['GET', 'POST', 'PUT', 'DELETE'] as const) {
        const { status } = await ask(path, { method, signal: AbortSignal.timeout(2000) });
        if (methods.includes(method)) expect([405, 501], `${method} ${path}`).not.toContain(status);
        else expect(status, `${method} ${path}`).toBe(405);
      }
    }
  });
});

async function described(): Promise<Description> {
  const { ask } = await serve([], { pages: true });
  return (await ask('/openapi.json')).body as Description;
}

function operationOf(paths: Description['paths'], path: string): Operation {
  return paths[path]?.['get'] as Operation;
}

function parametersOf(paths: Description['paths'], path: string): unknown[] {
  return (operationOf(paths, path).parameters ?? []).map((one) => [one.name, one.in, one.required, one.schema]);
}

/** Whether a text is allowed by a schema of the description. */
function allows(description: Description, given: Json, text: string): boolean {
  const { not, pattern, minLength, maxLength } = resolved(description, given) as {
    not?: { pattern: string };
    pattern?: string;
    minLength?: number;
    maxLength?: number;
  };
  const length = [...text].length;
  return (
    (pattern === undefined || new RegExp(pattern, 'u').test(text)) &&
    (not === undefined || !new RegExp(not.pattern, 'u').test(text)) &&
    length >= (minLength ?? 0) &&
    length <= (maxLength ?? length)
  );
}

/** Texts at the edges of what questions, names, slugs and times may be. */
const TEXTS = [
  ...['', ' ', '\u3000\u00a0\u0085', '\ufeff', '!', '—', 'a', ' a ', '0', '٣', '字', '𠮷', '𝟘', '😀'],
  'ﬃ'.repeat(200), // NFKC makes three characters of each
  ...['A', 'a b', 'é', 'e\u0301', 'a-1', 'a\n', 'a\0', '\u0301', '½', '½\u0000'],
  ...[200, 201, 2000, 2001].flatMap((length) => ['a', '𠮷'].map((character) => character.repeat(length))),
  ...[200, 201, 2000, 2001].map((length) => ` \u2003${'a'.repeat(length)}${' '.repeat(300)}`),
  ...[`a${' '.repeat(198)}a`, `a${' '.repeat(199)}a`, `a${' '.repeat(1998)}a`, `a${' '.repeat(1999)}a`],
  ...['2026-01-31', '2026-02-29', '2024-02-29', '2026-01-31T24:00', '2026-01-31T23:59:59.5+01:00', '12345678901'],
  ...['123456789012', '-1', '1.5', '+1', '2026-1-1', '2026-01-31 10:00'],
];

/** Values at the edge of what a schema allows, and just beyond it. */
function valuesOf(
  description: Description,
  schema: Json,
): { allowed: readonly (string | number)[]; refused: readonly (string | number)[] } {
  const { minimum, maximum } = schema as Record<string, number | undefined>;
  if (minimum !== undefined && maximum !== undefined) {
    return { allowed: [minimum, maximum], refused: [minimum - 1, maximum + 1, minimum + 0.5, '', '+1', '1e1'] };
  }
  const choices = schema['enum'] as string[] | undefined;
  if (choices !== undefined) {
    return { allowed: choices, refused: ['relevance', ...choices.map((choice) => choice.toUpperCase())] };
  }
  if (schema['type'] === 'boolean') return { allowed: ['true', 'false'], refused: ['', '1', 'yes', 'TRUE', 'true '] };
  return {
    allowed: TEXTS.filter((text) => allows(description, schema, text)),
    refused: TEXTS.filter((text) => !allows(description, schema, text)),
  };
}

/** What a reference leads to, with what stands beside it. */
function resolved(description: Description, part: Json): Json {
  const { $ref, ...beside } = part;
  if (typeof $ref !== 'string') return part;
  const [, , kind, name] = $ref.split('/') as [string, string, 'schemas', string];
  return { ...description.components[kind][name], ...beside };
}

describe.each([
  ['plain', {}],
  ['with all', { compatibility: 'skillsmp', mcp: true, publish: ['all'] }],
] as const)('the description %s', (_, options) => {
  async function problemsOf(change: (description: Record<string, unknown>) => void): Promise<readonly string[]> {
    const { ask } = await serve([], { pages: true, publicUrl: 'https://skills.test', ...options });
    const description = (await ask('/openapi.json')).body as Record<string, unknown>;
    change(description);
    const config = await createConfig({ extends: ['recommended-strict', 'spec'] });
    const source = JSON.stringify(description);
    const problems = await lintFromString({ source, config, absoluteRef: 'openapi.json' });
    return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`);
  }

  test('has nothing that a linter finds, which finds what is wrong', async () => {
    expect(await problemsOf(() => {})).toEqual([]);
    expect((await problemsOf((description) => Object.assign(description, { tags: 'none' }))).length).toBeGreaterThan(0);
  });
});
