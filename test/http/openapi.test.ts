import { describe, expect, test } from 'vitest';
import {
  DEFAULT_LIMIT,
  DEFAULT_SEMANTIC_LIMIT,
  MAX_KEYWORD_QUERY_LENGTH,
  MAX_LIMIT,
  MAX_PAGE,
  MAX_SEMANTIC_QUERY_LENGTH,
} from '../../src/index.js';
import { row } from '../rows.js';
import {
  FIND,
  failingSearch,
  HEALTH,
  KEYWORD,
  keyword,
  ORIGIN,
  paginationOf,
  type Reply,
  SEMANTIC,
  searchOver,
  semantic,
  serve,
} from './ask.js';
import { schemaFaults } from './json-schema.js';

type Json = Readonly<Record<string, unknown>>;

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security?: readonly Json[];
  readonly parameters?: readonly {
    name: string;
    in: string;
    required: boolean;
    schema: Json & Record<string, never>;
  }[];
  readonly responses: Readonly<Record<string, { headers?: Json; content: { 'application/json': { schema: Json } } }>>;
}

interface Description extends Json {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly Json[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly securitySchemes: Json; readonly schemas: Readonly<Record<string, Json>> };
}

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

  test('is at the address that the client asked where no public URL is given', async () => {
    expect((await described()).servers).toEqual([{ url: ORIGIN }]);
  });

  test('declares a bearer key as the default, optional for words and needless for health', async () => {
    const { security, components, paths } = await described();
    expect(components.securitySchemes).toEqual({ bearer: { type: 'http', scheme: 'bearer' } });
    expect(security).toEqual([{ bearer: [] }]);
    expect(operationOf(paths, KEYWORD).security).toEqual([{}, { bearer: [] }]);
    expect(operationOf(paths, SEMANTIC).security).toBeUndefined();
    expect(operationOf(paths, HEALTH).security).toEqual([{}]);
  });

  test('has the parameters of the specification, with the constants of the library', async () => {
    const { paths } = await described();
    const parameters = operationOf(paths, KEYWORD).parameters ?? [];
    expect(parameters.map((one) => [one.name, one.in, one.required, one.schema])).toEqual([
      ['q', 'query', true, { type: 'string', maxLength: MAX_KEYWORD_QUERY_LENGTH }],
      ['page', 'query', false, { type: 'integer', minimum: 1, maximum: MAX_PAGE, default: 1 }],
      ['limit', 'query', false, { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT }],
      ['sortBy', 'query', false, { type: 'string', enum: ['recent', 'stars'], default: 'recent' }],
      ['category', 'query', false, { type: 'string', pattern: '^[a-z0-9-]+$' }],
      ['occupation', 'query', false, { type: 'string', pattern: '^[a-z0-9-]+$' }],
    ]);
    expect([MAX_KEYWORD_QUERY_LENGTH, MAX_PAGE, MAX_LIMIT, DEFAULT_LIMIT]).toEqual([200, 50, 50, 20]);
    expect(operationOf(paths, SEMANTIC).parameters?.map((one) => [one.name, one.in, one.required, one.schema])).toEqual(
      [['q', 'query', true, { type: 'string', maxLength: MAX_SEMANTIC_QUERY_LENGTH }]],
    );
    expect(MAX_SEMANTIC_QUERY_LENGTH).toBe(2000);
    expect(operationOf(paths, HEALTH).parameters).toBeUndefined();
    expect(JSON.stringify(operationOf(paths, SEMANTIC).responses)).toContain(`"maxItems":${DEFAULT_SEMANTIC_LIMIT}`);
  });

  test('has the bounds that are kept: what it allows is answered, what is just beyond is 400', async () => {
    const { paths } = await described();
    const { ask, key } = await serve(SKILLS);
    for (const path of [KEYWORD, SEMANTIC]) {
      for (const { name, schema } of operationOf(paths, path).parameters ?? []) {
        const { allowed, refused } = valuesOf(schema);
        const statuses = async (values: readonly (string | number)[]) =>
          Promise.all(
            values.map(async (value) => {
              const rest = name === 'q' ? '' : 'q=name&';
              return (await ask(`${path}?${rest}${name}=${encodeURIComponent(value)}`, { key })).status;
            }),
          );
        expect(await statuses(allowed), name).toEqual(allowed.map(() => 200));
        expect(await statuses(refused), name).toEqual(refused.map(() => 400));
        expect(allowed.length * refused.length, name).toBeGreaterThan(0);
      }
    }
  });

  test('has the defaults that count', async () => {
    const { paths } = await described();
    const { ask } = await serve(SKILLS);
    const plain = await ask(keyword({ q: 'name' }));
    const withDefaults: Record<string, string> = { q: 'name' };
    for (const { name, schema } of operationOf(paths, KEYWORD).parameters ?? []) {
      if (schema['default'] !== undefined) withDefaults[name] = String(schema['default']);
    }
    expect(Object.keys(withDefaults)).toEqual(['q', 'page', 'limit', 'sortBy']);
    const reply = await ask(keyword(withDefaults));
    expect([(reply.body as Json)['data'], paginationOf(reply)]).toEqual([
      (plain.body as Json)['data'],
      paginationOf(plain),
    ]);
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
        if ((header as Json)['required'] === true || headers.has(name))
          expect(headers.get(name), `${path} ${status}`).toMatch(/^\d+$/);
      }
    }
    const described200 = operationOf(description.paths, KEYWORD).responses['200']?.headers ?? {};
    expect(Object.keys(described200)).toEqual([
      'X-RateLimit-Daily-Limit',
      'X-RateLimit-Daily-Remaining',
      'X-Result-Truncated',
    ]);
  });

  test('names every status that an operation answers, and every code', async () => {
    const { paths, components } = await described();
    expect(Object.keys(operationOf(paths, KEYWORD).responses)).toEqual(expect.arrayContaining(['200', '400', '429']));
    expect(Object.keys(operationOf(paths, SEMANTIC).responses)).toEqual(
      expect.arrayContaining(['200', '400', '401', '429']),
    );
    expect(Object.keys(operationOf(paths, HEALTH).responses)).toEqual(['200', '503']);
    const { properties } = components.schemas['Error'] as {
      properties: { error: { properties: { code: { enum: string[] } } } };
    };
    expect(properties.error.properties.code.enum.toSorted()).toEqual([
      'BUSY',
      'DAILY_QUOTA_EXCEEDED',
      'ENDPOINT_NOT_FOUND',
      'INTERNAL_ERROR',
      'INVALID_API_KEY',
      'INVALID_PARAMETER',
      'INVALID_QUERY',
      'METHOD_NOT_ALLOWED',
      'MISSING_API_KEY',
      'MISSING_QUERY',
      'RATE_LIMIT_EXCEEDED',
      'SERVICE_UNAVAILABLE',
    ]);
  });

  test('describes what is added for clients of the public service, where it is', async () => {
    const { ask, key } = await serve(SKILLS, { pages: true, compatibility: 'skillsmp' });
    const description = (await ask('/openapi.json')).body as Description;
    const { paths } = description;
    expect(Object.keys(paths)).toEqual([KEYWORD, SEMANTIC, HEALTH, FIND]);
    expect(operationOf(paths, FIND)).toMatchObject({ operationId: 'findSkills', security: [{}] });
    const replies: [string, Reply][] = [
      [KEYWORD, await ask(keyword({ q: 'name', limit: 100 }))],
      [SEMANTIC, await ask(semantic('name'), { key })],
      [FIND, await ask(`${FIND}?q=name&limit=100`)],
      [FIND, await ask(FIND)],
    ];
    expect(replies.map(([, { status }]) => status)).toEqual([200, 200, 200, 400]);
    for (const [path, { status, body }] of replies) {
      const schema = operationOf(paths, path).responses[status]?.content['application/json'].schema as Json;
      expect(schemaFaults(description, schema, body), `${path} ${status}`).toEqual([]);
    }
    for (const path of [KEYWORD, FIND]) {
      const limit = operationOf(paths, path).parameters?.find(({ name }) => name === 'limit')?.schema;
      expect(limit).toEqual({ type: 'integer', minimum: 1, default: DEFAULT_LIMIT });
    }
  });

  test('is told also while the catalogue cannot answer', async () => {
    const { ask } = await serve(failingSearch(new Error('unforeseen')), { pages: true });
    expect((await ask('/openapi.json')).status).toBe(200);
  });
});

async function described(): Promise<Description> {
  const { ask } = await serve([], { pages: true });
  return (await ask('/openapi.json')).body as Description;
}

function operationOf(paths: Description['paths'], path: string): Operation {
  return paths[path]?.['get'] as Operation;
}

/** Values at the edge of what a schema allows, and just beyond it. */
function valuesOf(schema: Json): { allowed: readonly (string | number)[]; refused: readonly (string | number)[] } {
  const { minimum, maximum, maxLength, pattern } = schema as Record<string, number | undefined>;
  if (minimum !== undefined && maximum !== undefined) {
    return { allowed: [minimum, maximum], refused: [minimum - 1, maximum + 1, minimum + 0.5] };
  }
  if (maxLength !== undefined) return { allowed: ['a'.repeat(maxLength)], refused: ['a'.repeat(maxLength + 1)] };
  if (pattern !== undefined) {
    const values = ['a', 'a-1', '0', '', 'A', 'a b', 'é'];
    const allows = (value: string): boolean => new RegExp(String(pattern)).test(value);
    return { allowed: values.filter(allows), refused: values.filter((value) => !allows(value)) };
  }
  const choices = schema['enum'] as string[];
  return { allowed: choices, refused: ['relevance', ...choices.map((choice) => choice.toUpperCase())] };
}
