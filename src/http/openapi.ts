import { MAX_LIMIT } from '../core/index.js';
import { DEFAULT_SEMANTIC_LIMIT } from '../query.js';
import { findOperation } from './find-operation.js';
import { describeMcp } from './openapi-mcp.js';
import { describeParameter } from './openapi-parameters.js';
import {
  type ErrorExample,
  errorResponse,
  exampleFault,
  found,
  json,
  object,
  ref,
  unread,
  withId,
} from './openapi-responses.js';
import { describeSchemas, EXAMPLES } from './openapi-schemas.js';
import type { ApiDocument, Json, Operation } from './pages/frame/api-document.js';
import { FIND_PARAMETERS, KEYWORD_PARAMETERS, type QueryParameter, SEMANTIC_PARAMETERS } from './query-parameters.js';
import { readKeywordQuery, readSemanticQuery } from './read-query.js';
import { MALFORMED } from './refusal.js';
import { type OperationName, type ServedExtras, servedRoutes } from './routes.js';

/** The version of the API, not of this package. */
const API_VERSION = '1.0.0';

/** The Skill Discovery API as an OpenAPI 3.1 document, from which programs generate clients. */
export function describeApi(publicUrl: string, extras: ServedExtras): ApiDocument {
  const { compatible, mcp } = extras;
  const describe: Readonly<Record<OperationName, () => Readonly<Record<string, Operation>>>> = {
    keyword: () => ({ get: searchSkills(compatible) }),
    semantic: () => ({ get: aiSearchSkills(compatible) }),
    health: () => ({ get: healthCheck() }),
    find: () => ({ get: findSkills() }),
    download: () => ({ get: downloadSkill() }),
    mcp: describeMcp,
  };
  const operations = servedRoutes(extras).flatMap(({ path, name }) => (name === undefined ? [] : [{ path, name }]));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Skill Discovery API',
      version: API_VERSION,
      summary: 'Find agent skills by words and by meaning.',
      description: ABOUT,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl }],
    tags: [
      { name: 'Skills', description: 'Search the catalogue.' },
      { name: 'System', description: 'Ask for the state of the service.' },
      ...(mcp ? [{ name: 'MCP', description: 'The Model Context Protocol, for agents.' }] : []),
    ],
    security: [{ bearer: [] }],
    paths: Object.fromEntries(operations.map(({ path, name }) => [path, describe[name]()])),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'A key of this service: `sk_live_` and 43 letters and digits. Ask whoever runs it.',
        },
      },
      ...describeSchemas(extras),
    },
  };
}

const ABOUT = `A read-only interface over JSON. A skill is a folder of instructions that an agent loads for a task.

**Parameters** are percent-encoded UTF-8. Each may be given once: a second value is refused, unknown parameters are
ignored. Integers are decimal digits, so \`1.0\`, \`+1\` and \`1e1\` are refused. A value must not hold the character NUL. If
several parameters are faulty, the error names the first in the order of their description.

**Keys** are sent as \`Authorization: Bearer <key>\`. A key that is not accepted is refused, and never served as anonymous.

**Quotas** count for each key, and without a key for each address. The minute has 60 seconds from the first request in
it, and the day ends at 00:00 UTC. Every request counts for the minute, and only what is answered 200 for the day.

**HEAD** is GET without the body. **OPTIONS** answers the preflight of a browser: any web page may ask a public service.

**Errors** are \`{"success": false, "error": {"code", "message"}}\`. Programs decide by the code, people read the
message. The header \`X-Request-Id\` names a request in the log of the service.`;

function searchSkills(compatible: boolean): Operation {
  const data = { skills: { type: 'array', maxItems: MAX_LIMIT, items: ref('Skill') }, pagination: ref('Pagination') };
  return {
    operationId: 'searchSkills',
    tags: ['Skills'],
    summary: 'Skills by words',
    description:
      'The first of these that finds any skill answers: all words in name, author, labels or description; in the text of files too; the last word as the beginning of a word; words with slips; some of the words.',
    security: [{}, { bearer: [] }],
    parameters: described(KEYWORD_PARAMETERS, compatible),
    responses: {
      200: found('Skills of this page, and how many there are', bodyOf(data), EXAMPLES.keyword(compatible)),
      400: errorResponse('400', [
        ...['', 'q=%21', 'q=git&page=0'].map((query) => exampleFault(() => readKeywordQuery(query, compatible))),
        MALFORMED,
      ]),
      401: errorResponse('401', [INVALID_KEY]),
      429: errorResponse('429', [RATE_LIMIT, DAILY_QUOTA]),
      ...common('503', [UNAVAILABLE, BUSY]),
    },
  };
}

function aiSearchSkills(compatible: boolean): Operation {
  const data = { data: { type: 'array', maxItems: DEFAULT_SEMANTIC_LIMIT, items: ref('AiSearchResult') } };
  return {
    operationId: 'aiSearchSkills',
    tags: ['Skills'],
    summary: 'Skills by meaning and words',
    description: `The ${DEFAULT_SEMANTIC_LIMIT} best skills, the best first, one of each group of copies. Needs a key.`,
    parameters: described(SEMANTIC_PARAMETERS, compatible),
    responses: {
      200: found(
        'The best skills, and the file of each that matches best',
        bodyOf(data),
        EXAMPLES.semantic(compatible),
      ),
      400: errorResponse('400', [
        ...['', 'q=%21', 'q=git&minStars=few'].map((query) => exampleFault(() => readSemanticQuery(query))),
        MALFORMED,
      ]),
      401: errorResponse('401', [MISSING_KEY, INVALID_KEY]),
      429: errorResponse('429', [RATE_LIMIT, DAILY_QUOTA]),
      ...common('503', [UNAVAILABLE, BUSY]),
    },
  };
}

/** The search of `npx skills find`. */
function findSkills(): Operation {
  const body = object({ skills: { type: 'array', maxItems: MAX_LIMIT, items: ref('FoundSkill') } });
  return {
    operationId: 'findSkills',
    tags: ['Skills'],
    summary: 'Skills by words, the most relevant first',
    description:
      'What `npx skills find` asks. Needs no key, looks at none, and has a limit of the minute of its own in place of quotas.',
    security: [{}],
    parameters: described(FIND_PARAMETERS, true),
    responses: {
      200: found('The most relevant skills', body, EXAMPLES.find()),
      400: errorResponse('400', [
        ...['', 'q=%21', 'q=git&limit=0'].map((query) =>
          exampleFault(() => findOperation(undefined).read(query, true)),
        ),
        MALFORMED,
      ]),
      429: errorResponse('429', [RATE_LIMIT]),
      ...common('503', [UNAVAILABLE, BUSY]),
    },
  };
}

/** What `npx skills add` fetches of repositories on GitHub that it knows. */
function downloadSkill(): Operation {
  const segment = (name: string, description: string, example: string): Json => {
    const schema = { type: 'string', minLength: 1, pattern: '^[.]?[A-Za-z0-9_-][A-Za-z0-9_.-]*$' };
    return { name, in: 'path', required: true, description, schema, example };
  };
  const { owner, repository, skill } = DOWNLOAD_EXAMPLE;
  return {
    operationId: 'downloadSkill',
    tags: ['Skills'],
    summary: 'The files of a published skill',
    description:
      'What `npx skills add` fetches of some repositories on GitHub. Only skills that are published, and whose files are all text. Needs no key, and has a limit of the minute of its own in place of quotas.',
    security: [{}],
    parameters: [
      segment('owner', 'The owner of the repository, in upper or lower case.', owner),
      segment('repository', 'The name of the repository, in upper or lower case.', repository),
      segment('skill', 'The name of the skill.', skill),
    ],
    responses: {
      200: withId({ description: 'The files', content: json(ref('SkillDownload'), EXAMPLES.download()) }),
      ...common(),
      404: errorResponse('404', [NOTHING]),
      429: errorResponse('429', [RATE_LIMIT]),
      503: errorResponse('503', [UNAVAILABLE]),
    },
  };
}

const DOWNLOAD_EXAMPLE = { owner: 'fernhollow-sci', repository: 'workbench', skill: 'react-component-testing' };

function healthCheck(): Operation {
  const health = (status: string, description: string): Json =>
    withId({ description, content: json(object({ status: { type: 'string', const: status } }), { status }) });
  return {
    operationId: 'healthCheck',
    tags: ['System'],
    summary: 'Whether the service and its database answer',
    description: 'Needs no key and uses no quota. Answered before all searches.',
    security: [{}],
    responses: { 200: health('ok', 'Healthy'), ...common(), 503: health('degraded', 'Degraded') },
  };
}

function bodyOf(data: Json): Json {
  return object({ success: { const: true }, data: object(data), meta: ref('Meta') });
}

function described(parameters: readonly QueryParameter[], compatible: boolean): readonly Json[] {
  return parameters.map((parameter) => describeParameter(parameter, compatible));
}

/** What every operation may answer beside its own. */
function common(status?: '503', examples: readonly ErrorExample[] = []): Readonly<Record<string, Json>> {
  return {
    ...unread(),
    500: errorResponse('500', [INTERNAL]),
    ...(status === undefined ? {} : { [status]: errorResponse(status, examples) }),
  };
}

const INVALID_KEY: ErrorExample = {
  code: 'INVALID_API_KEY',
  message: 'the API key is not accepted: expected `Authorization: Bearer <key>`',
};
const MISSING_KEY: ErrorExample = {
  code: 'MISSING_API_KEY',
  message: 'this search needs an API key: `Authorization: Bearer <key>`',
};
const RATE_LIMIT: ErrorExample = {
  code: 'RATE_LIMIT_EXCEEDED',
  message: 'more than 10 requests within a minute: try again in 42 s',
};
const DAILY_QUOTA: ErrorExample = {
  code: 'DAILY_QUOTA_EXCEEDED',
  message: 'the 50 requests of this day are used up; the next day begins at 00:00 UTC',
};
const NOTHING: ErrorExample = { code: 'ENDPOINT_NOT_FOUND', message: 'nothing is served at this path' };
const UNAVAILABLE: ErrorExample = { code: 'SERVICE_UNAVAILABLE', message: 'the database cannot answer' };
const BUSY: ErrorExample = { code: 'BUSY', message: 'too many requests wait; try again in 1 s' };
const INTERNAL: ErrorExample = {
  code: 'INTERNAL_ERROR',
  message: 'unexpected error: the server logs it under the id of this request',
};
