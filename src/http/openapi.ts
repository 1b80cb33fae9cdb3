import {
  DEFAULT_LIMIT,
  DEFAULT_SEMANTIC_LIMIT,
  MAX_KEYWORD_QUERY_LENGTH,
  MAX_LIMIT,
  MAX_PAGE,
  MAX_SEMANTIC_QUERY_LENGTH,
} from '../index.js';
import { ERROR_STATUS } from './error-content.js';
import { PATHS } from './paths.js';
import { SKILL_FIELDS } from './public-record.js';
import { HTTP_SORT_ORDERS } from './read-query.js';

type Json = Readonly<Record<string, unknown>>;

/** The version of the API, not of this package. */
const API_VERSION = '1.0.0';

/**
 * The Skill Discovery API as an OpenAPI 3.1 document, from which programs generate clients.
 *
 * @param compatible whether the service makes the additions for clients of the public service
 */
export function describeApi(publicUrl: string, compatible: boolean): Json {
  return {
    openapi: '3.1.0',
    info: { title: 'Skill Discovery API', version: API_VERSION },
    servers: [{ url: publicUrl }],
    security: [{ bearer: [] }],
    paths: {
      [PATHS.keyword]: { get: searchSkills(compatible) },
      [PATHS.semantic]: { get: aiSearchSkills() },
      [PATHS.health]: { get: healthCheck() },
      ...(compatible ? { [PATHS.find]: { get: findSkills() } } : {}),
    },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: {
        Skill: skill(compatible),
        Pagination: pagination(compatible),
        Meta: meta(),
        AiSearchResult: aiSearchResult(),
        Error: error(),
        ...(compatible ? { FoundSkill: foundSkill() } : {}),
      },
    },
  };
}

function searchSkills(compatible: boolean): Json {
  const slug = { type: 'string', pattern: '^[a-z0-9-]+$' };
  return {
    operationId: 'searchSkills',
    tags: ['Skills'],
    summary: 'Skills by words',
    security: [{}, { bearer: [] }],
    parameters: [
      parameter(
        'q',
        { type: 'string', maxLength: MAX_KEYWORD_QUERY_LENGTH },
        'Words; "quoted words" stand together',
        true,
      ),
      parameter('page', { type: 'integer', minimum: 1, maximum: MAX_PAGE, default: 1 }, 'Page number'),
      limit(compatible),
      parameter('sortBy', { type: 'string', enum: HTTP_SORT_ORDERS, default: HTTP_SORT_ORDERS[0] }, 'Order'),
      parameter('category', slug, 'Only skills of this category'),
      parameter('occupation', slug, 'Only skills of this occupation (SOC), with or without its code'),
    ],
    responses: {
      200: found({
        skills: { type: 'array', items: ref('Skill') },
        pagination: ref('Pagination'),
      }),
      400: failed('Query missing or invalid'),
      401: failed('API key not accepted'),
      429: exceeded(),
      503: unavailable(),
    },
  };
}

/** @param cut whether the service reduces a larger value to the maximum instead of refusing it */
function limit(cut: boolean): Json {
  const bounds = { type: 'integer', minimum: 1, ...(cut ? {} : { maximum: MAX_LIMIT }), default: DEFAULT_LIMIT };
  return parameter(
    'limit',
    bounds,
    cut ? `Skills a page; above ${MAX_LIMIT} is taken as ${MAX_LIMIT}` : 'Skills a page',
  );
}

/** The search of `npx skills find`. */
function findSkills(): Json {
  const text = { type: 'string' };
  return {
    operationId: 'findSkills',
    tags: ['Skills'],
    summary: 'Skills by words, the most relevant first',
    security: [{}],
    parameters: [
      parameter('q', { type: 'string', maxLength: MAX_KEYWORD_QUERY_LENGTH }, 'Words', true),
      limit(true),
      parameter('owner', text, 'Only skills of this owner of repositories, or author'),
    ],
    responses: {
      200: answer(object({ skills: { type: 'array', items: ref('FoundSkill') } })),
      400: failed('Query missing or invalid'),
      429: exceeded(),
      503: unavailable(),
    },
  };
}

/** What `npx skills find` reads of a skill. */
function foundSkill(): Json {
  const text = { type: 'string' };
  const source = { type: 'string', description: 'What `npx skills add` takes; empty where nobody told' };
  return object({ id: text, name: text, installs: { type: 'integer', minimum: 0 }, source });
}

function aiSearchSkills(): Json {
  const q = { type: 'string', maxLength: MAX_SEMANTIC_QUERY_LENGTH };
  return {
    operationId: 'aiSearchSkills',
    tags: ['Skills'],
    summary: 'Skills by meaning and words',
    parameters: [parameter('q', q, 'What is to be done, in plain language', true)],
    responses: {
      200: found({ data: { type: 'array', maxItems: DEFAULT_SEMANTIC_LIMIT, items: ref('AiSearchResult') } }),
      400: failed('Query missing or invalid'),
      401: failed('API key required'),
      429: exceeded(),
      503: unavailable(),
    },
  };
}

function healthCheck(): Json {
  const health = (status: string, description: string): Json => ({
    description,
    content: json(object({ status: { type: 'string', enum: [status] } })),
  });
  return {
    operationId: 'healthCheck',
    tags: ['System'],
    summary: 'Whether the service and its database answer',
    security: [{}],
    responses: { 200: health('ok', 'Healthy'), 503: health('degraded', 'Degraded') },
  };
}

function skill(compatible: boolean): Json {
  const types: Partial<Record<string, Json>> = {
    codehostUrl: { type: 'string', format: 'uri' },
    githubUrl: { type: 'string', format: 'uri', description: 'The same as codehostUrl' },
    skillUrl: { type: 'string', format: 'uri' },
    stars: { type: 'integer', minimum: 0 },
    updatedAt: { type: 'integer', description: 'Unix seconds' },
  };
  const fields = [...SKILL_FIELDS, ...(compatible ? ['githubUrl'] : [])];
  return object(Object.fromEntries(fields.map((field) => [field, types[field] ?? { type: 'string' }])));
}

function pagination(compatible: boolean): Json {
  const count = { type: 'integer', minimum: 0 };
  const is = { type: 'boolean' };
  const neighbours = compatible ? { hasNext: is, hasPrev: is } : {};
  return object({ page: count, limit: count, total: count, totalPages: count, ...neighbours });
}

function meta(): Json {
  return object({ requestId: { type: 'string' }, responseTimeMs: { type: 'integer', minimum: 0 } });
}

function aiSearchResult(): Json {
  return object({
    file_id: { type: 'string' },
    filename: { type: 'string' },
    score: { type: 'number', minimum: 0, maximum: 1 },
    skill: ref('Skill'),
  });
}

function error(): Json {
  const code = { type: 'string', enum: Object.keys(ERROR_STATUS) };
  return object({ success: { const: false }, error: object({ code, message: { type: 'string' } }) });
}

function found(data: Json): Json {
  return answer(object({ success: { const: true }, data: object(data), meta: ref('Meta') }));
}

function answer(body: Json): Json {
  const count = (description: string): Json => ({ description, required: true, schema: { type: 'integer' } });
  return {
    description: 'Found',
    headers: {
      'X-RateLimit-Daily-Limit': count('Requests a day'),
      'X-RateLimit-Daily-Remaining': count('Requests left of this day'),
      'X-Result-Truncated': {
        description: 'The question was too costly to finish; the total is a lower bound',
        required: false,
        schema: { const: 'true' },
      },
    },
    content: json(body),
  };
}

function failed(description: string): Json {
  return { description, content: json(ref('Error')) };
}

function exceeded(): Json {
  return { ...failed('Rate limit exceeded'), headers: { 'Retry-After': seconds(true) } };
}

function unavailable(): Json {
  return {
    ...failed('Service not available, or, with the code BUSY, too many requests at once'),
    headers: { 'Retry-After': seconds(false) },
  };
}

/** @param always whether the header is on every answer of the status; otherwise it is with some codes only */
function seconds(always: boolean): Json {
  return { description: 'Seconds to wait', required: always, schema: { type: 'integer', minimum: 1 } };
}

function parameter(name: string, schema: Json, description: string, required = false): Json {
  return { name, in: 'query', required, description, schema };
}

/** An object that has all of these properties. */
function object(properties: Json): Json {
  return { type: 'object', required: Object.keys(properties), properties };
}

function json(schema: Json): Json {
  return { 'application/json': { schema } };
}

function ref(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}
