import type { Json } from './pages/frame/api-document.js';
import type { QueryParameter } from './query-parameters.js';
import { MAX_DIGITS } from './query-parameters.js';
import { NOT_BLANK, SLUG, TIME_OR_SECONDS, unreadable, WITHOUT_NUL } from './text-patterns.js';

const LARGEST = 10 ** MAX_DIGITS - 1;

/**
 * A parameter as OpenAPI describes it.
 *
 * @param compatible whether the service makes the additions for clients of the public service
 */
export function describeParameter(parameter: QueryParameter, compatible: boolean): Json {
  const { name, about, example, required = false } = parameter;
  return {
    name,
    in: 'query',
    required,
    description: `${about}${remarkOn(parameter, compatible)}`,
    schema: schemaOf(parameter, compatible),
    example,
  };
}

/** What a schema says too, for people; and what it cannot say. */
function remarkOn(parameter: QueryParameter, compatible: boolean): string {
  switch (parameter.kind) {
    case 'question': {
      const longest = parameter.longest.toLocaleString('en');
      return ` At most ${longest} characters, counted without the white space around them, with a letter or a digit of any script among them.`;
    }
    case 'integer':
      return isCut(parameter, compatible) ? ` A number above ${parameter.most} is taken as ${parameter.most}.` : '';
    default:
      return '';
  }
}

function schemaOf(parameter: QueryParameter, compatible: boolean): Json {
  switch (parameter.kind) {
    case 'question':
      // No `maxLength`: white space around the question does not count.
      return { $ref: '#/components/schemas/Question', not: { pattern: unreadable(parameter.longest) } };
    case 'text':
      return { type: 'string', minLength: 1, maxLength: parameter.longest, pattern: NOT_BLANK };
    case 'free text':
      return { type: 'string', pattern: WITHOUT_NUL };
    case 'slug':
      return { type: 'string', minLength: 1, pattern: SLUG };
    case 'integer': {
      const { least, most = LARGEST, default: usual } = parameter;
      const maximum = isCut(parameter, compatible) ? {} : { maximum: most };
      return { type: 'integer', minimum: least, ...maximum, ...(usual === undefined ? {} : { default: usual }) };
    }
    case 'choice':
      return {
        type: 'string',
        enum: parameter.choices,
        ...(parameter.default === undefined ? {} : { default: parameter.default }),
      };
    case 'flag':
      return { type: 'boolean' };
    case 'time':
      return { type: 'string', minLength: 1, pattern: TIME_OR_SECONDS };
  }
}

function isCut({ cut }: { readonly cut?: 'compatible' | 'always' }, compatible: boolean): boolean {
  return cut === 'always' || (cut === 'compatible' && compatible);
}
