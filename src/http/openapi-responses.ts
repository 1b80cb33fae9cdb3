import { SkillSearchError } from '../index.js';
import type { Json } from './pages/frame/api-document.js';
import { refusalOf } from './refusal.js';

/** An error as a description shows it. */
export interface ErrorExample {
  readonly code: string;
  readonly message: string;
}

type ErrorStatus = '400' | '401' | '404' | '408' | '429' | '431' | '500' | '503';

const DESCRIPTIONS: Readonly<Record<ErrorStatus, string>> = {
  400: 'The question or another parameter is missing or invalid',
  401: 'No key where one is needed, or a key that is not accepted',
  404: 'There is no such thing',
  408: 'The request did not arrive in time',
  429: 'The requests of the minute or of the day are used up',
  431: 'Request line and headers are too long together',
  500: 'Unforeseen',
  503: 'The service cannot answer now, or too many requests wait',
};

/** The headers of each status, and which of the components describes them. */
const HEADERS: Readonly<Record<ErrorStatus, Readonly<Record<string, string>>>> = {
  400: {},
  401: { 'WWW-Authenticate': 'Authenticate' },
  404: {},
  408: {},
  429: {
    'Retry-After': 'RetryAfter',
    'X-RateLimit-Daily-Limit': 'ExceededLimit',
    'X-RateLimit-Daily-Remaining': 'ExceededRemaining',
    'X-RateLimit-Minute-Limit': 'ExceededLimit',
    'X-RateLimit-Minute-Remaining': 'ExceededRemaining',
  },
  431: {},
  500: {},
  503: { 'Retry-After': 'RetryAfterBusy' },
};

const SEARCH_HEADERS = {
  'X-RateLimit-Daily-Limit': 'DailyLimit',
  'X-RateLimit-Daily-Remaining': 'DailyRemaining',
  'X-RateLimit-Minute-Limit': 'MinuteLimit',
  'X-RateLimit-Minute-Remaining': 'MinuteRemaining',
  'X-Result-Truncated': 'Truncated',
};

/** The answer with an error. Each of its codes has an example. */
export function errorResponse(status: ErrorStatus, examples: readonly ErrorExample[]): Json {
  return withId({
    description: DESCRIPTIONS[status],
    headers: headersOf(HEADERS[status]),
    content: {
      'application/json': {
        schema: ref('Error'),
        examples: Object.fromEntries(
          examples.map(({ code, message }) => [
            code,
            { summary: message, value: { success: false, error: { code, message } } },
          ]),
        ),
      },
    },
  });
}

/** The answers to requests that cannot be read to their end, whatever they ask. */
export function unread(): Readonly<Record<'408' | '431', Json>> {
  const [late, long] = ['ERR_HTTP_REQUEST_TIMEOUT', 'HPE_HEADER_OVERFLOW'].map((code) => refusalOf({ code })!);
  return { 408: errorResponse('408', [late!]), 431: errorResponse('431', [long!]) };
}

/** The answer of a search. */
export function found(description: string, schema: Json, example: unknown): Json {
  return withId({
    description,
    headers: headersOf(SEARCH_HEADERS),
    content: json(schema, example),
  });
}

/** The error that a reader of questions throws. */
export function exampleFault(read: () => unknown): ErrorExample {
  try {
    read();
  } catch (error) {
    if (error instanceof SkillSearchError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('an example of a faulty question is read without a fault');
}

/** The response with the id that every answer has. */
export function withId(response: Json): Json {
  const { description, headers, ...rest } = response;
  return {
    description,
    headers: { ...(headers as Json | undefined), ...headersOf({ 'X-Request-Id': 'RequestId' }) },
    ...rest,
  };
}

/** An object that has all of these properties. */
export function object(properties: Json): Json {
  return { type: 'object', required: Object.keys(properties), properties };
}

export function json(schema: Json, example: unknown): Json {
  return { 'application/json': { schema, example } };
}

export function ref(schema: string): Json {
  return { $ref: `#/components/schemas/${schema}` };
}

/** Headers by their names, each with the name of the component that describes it. */
export function headersOf(components: Readonly<Record<string, string>>): Json {
  return Object.fromEntries(
    Object.entries(components).map(([name, component]) => [name, { $ref: `#/components/headers/${component}` }]),
  );
}
