import { MCP_HTTP_LIMITS } from './mcp-messages.js';
import { headersOf, object, ref, unread, withId } from './openapi-responses.js';
import type { Json, Operation } from './pages/frame/api-document.js';

const REVISION: Json = {
  name: 'MCP-Protocol-Version',
  in: 'header',
  required: false,
  description: 'The revision of the protocol that the client speaks.',
  schema: { type: 'string' },
  example: '2025-11-25',
};

const ABOUT =
  'The tools and the Skills extension of the Model Context Protocol, by Streamable HTTP and without sessions: each request is answered for itself. The protocol says what messages hold. `Host` must be a name of this server, and `Origin`, which browsers send, its own.';

const KEY_OPTIONAL: readonly Json[] = [{}, { bearer: [] }];

/** What the service answers at `/mcp`. The messages themselves are described by the protocol. */
export function describeMcp(): Readonly<Record<'post' | 'get' | 'delete', Operation>> {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const answer = { jsonrpc: '2.0', id: 1, result: { tools: [] } };
  const messages = (example: Json): Json => ({ schema: ref('JsonRpc'), example });
  const events = { schema: { type: 'string', description: 'Server-sent events, each with a message' }, example: EVENT };
  return {
    post: {
      operationId: 'callMcp',
      tags: ['MCP'],
      summary: 'A message of the Model Context Protocol',
      description: `${ABOUT} A call of a tool beyond a limit is answered 200, with an error of the tool.`,
      security: KEY_OPTIONAL,
      parameters: [REVISION],
      requestBody: {
        required: true,
        description: `A message, or a list of them; at most ${MCP_HTTP_LIMITS.bodyBytes} bytes.`,
        content: { 'application/json': messages(call) },
      },
      responses: {
        200: withId({
          description: 'What the protocol answers',
          content: { 'application/json': messages(answer), 'text/event-stream': events },
        }),
        202: withId({ description: 'Taken; there is nothing to answer' }),
        ...failures(['400', '401', '403', '406', '408', '413', '415', '429', '500', '503']),
        431: unread()['431'],
      },
    },
    get: {
      operationId: 'listenToMcp',
      tags: ['MCP'],
      summary: 'A stream that tells of another state of the catalogue',
      description: `${ABOUT} For revisions until 2025-11-25.`,
      security: KEY_OPTIONAL,
      parameters: [REVISION],
      responses: {
        200: withId({ description: 'The stream', content: { 'text/event-stream': events } }),
        ...failures(['400', '401', '403', '405', '406', '500', '503']),
        431: unread()['431'],
      },
    },
    delete: {
      operationId: 'endMcpSession',
      tags: ['MCP'],
      summary: 'The end of a session, of which there are none',
      description: `${ABOUT} There is no session to end, so the answer is always an error.`,
      security: KEY_OPTIONAL,
      responses: {
        ...failures(['403', '404']),
        431: unread()['431'],
        default: failure('Any other answer is an error too'),
      },
    },
  };
}

const EVENT = 'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/resources/list_changed"}\n\n';

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  400: 'No message, or a revision that there is not',
  401: 'A key that is not accepted',
  403: 'Asked for under a name that is not known, or from another web page',
  404: 'There is no such session',
  405: 'The revision has no streams',
  406: 'The answer is of no type that the client accepts',
  408: 'The body did not arrive in time',
  413: 'The body is too long',
  415: 'The body is not JSON',
  429: 'The requests of the minute or of the day are used up',
  500: 'Unforeseen',
  503: 'The service cannot answer now, or too many streams are open',
};

function failures(statuses: readonly string[]): Readonly<Record<string, Json>> {
  return Object.fromEntries(statuses.map((status) => [status, failure(DESCRIPTIONS[status]!, HEADERS[status])]));
}

const HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  401: { 'WWW-Authenticate': 'Authenticate' },
  405: { Allow: 'Allow' },
  429: { 'Retry-After': 'RetryAfter' },
  503: { 'Retry-After': 'RetryAfterBusy' },
};

function failure(description: string, headers: Readonly<Record<string, string>> = {}): Json {
  return withId({
    description,
    headers: headersOf(headers),
    content: { 'application/json': { schema: ref('JsonRpcError'), example: ERROR } },
  });
}

const ERROR = {
  jsonrpc: '2.0',
  error: {
    code: -32000,
    message: 'more than 10 requests within a minute: try again in 42 s',
    data: { code: 'RATE_LIMIT_EXCEEDED', retryAfter: 42 },
  },
};

const VERSION = { jsonrpc: { const: '2.0' } };

/** The outer form of messages. */
export const JSON_RPC_SCHEMAS: Readonly<Record<string, Json>> = {
  JsonRpc: {
    oneOf: [object(VERSION), { type: 'array', minItems: 1, maxItems: 100, items: object(VERSION) }],
    description: 'A message of JSON-RPC 2.0, or a list of them where the revision has lists',
  },
  JsonRpcError: {
    type: 'object',
    properties: {
      ...VERSION,
      id: { type: ['string', 'integer', 'null'] },
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          code: { type: 'integer' },
          message: { type: 'string' },
          data: {
            type: 'object',
            properties: {
              code: { type: 'string', description: 'The code of this service' },
              retryAfter: { type: 'integer', description: 'Seconds to wait' },
            },
          },
        },
      },
    },
  },
};
