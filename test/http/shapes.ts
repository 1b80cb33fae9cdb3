/** What a value must look like: tells what is wrong with it. */
export type Shape = (value: unknown, at: string) => string[];

/** All that is wrong with a value; nothing where it is as it must be. */
export function faultsOf(shape: Shape, value: unknown): string[] {
  return shape(value, 'it');
}

export const filledText: Shape = kind('text that is not empty', (value) => typeof value === 'string' && value !== '');
const uri: Shape = kind('a URI', (value) => typeof value === 'string' && URL.canParse(value));
const count: Shape = kind('an integer of at least 0', (value) => Number.isSafeInteger(value) && Number(value) >= 0);
const share: Shape = kind('a number from 0 to 1', (value) => typeof value === 'number' && value >= 0 && value <= 1);
const truth: Shape = kind('true or false', (value) => typeof value === 'boolean');

export function exactly(expected: unknown): Shape {
  return kind(JSON.stringify(expected), (value) => value === expected);
}

/** Exactly these fields: none less, none more. */
export function fields(shapes: Readonly<Record<string, Shape>>): Shape {
  return (value, at) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${at} is no object`];
    const missing = Object.keys(shapes).filter((name) => !Object.hasOwn(value, name));
    return [
      ...missing.map((name) => `${at}.${name} is missing`),
      ...Object.entries(value).flatMap(
        ([name, field]) => shapes[name]?.(field, `${at}.${name}`) ?? `${at}.${name} is too much`,
      ),
    ];
  };
}

function listOf(shape: Shape): Shape {
  return (value, at) =>
    Array.isArray(value) ? value.flatMap((item, i) => shape(item, `${at}[${i}]`)) : [`${at} is no array`];
}

function kind(expected: string, is: (value: unknown) => boolean): Shape {
  return (value, at) => (is(value) ? [] : [`${at} is ${JSON.stringify(value)}, not ${expected}`]);
}

const SKILL_FIELDS = {
  id: filledText,
  name: filledText,
  author: filledText,
  description: filledText,
  codehostUrl: uri,
  skillUrl: uri,
  stars: count,
  updatedAt: count,
};
const PAGINATION_FIELDS = { page: count, limit: count, total: count, totalPages: count };

/** Section 2.1 of the specification, and so on. */
const SKILL = fields(SKILL_FIELDS);
const PAGINATION = fields(PAGINATION_FIELDS);
const META = fields({ requestId: filledText, responseTimeMs: count });
const AI_SEARCH_RESULT = fields({ file_id: filledText, filename: filledText, score: share, skill: SKILL });
export const ERROR = fields({ success: exactly(false), error: fields({ code: filledText, message: filledText }) });
export const HEALTHY = fields({ status: exactly('ok') });
export const DEGRADED = fields({ status: exactly('degraded') });

export const KEYWORD_ANSWER = fields({
  success: exactly(true),
  data: fields({ skills: listOf(SKILL), pagination: PAGINATION }),
  meta: META,
});
export const SEMANTIC_ANSWER = fields({
  success: exactly(true),
  data: fields({ data: listOf(AI_SEARCH_RESULT) }),
  meta: META,
});

/** With what clients of the public service read beside it. */
const COMPATIBLE_SKILL = fields({ ...SKILL_FIELDS, githubUrl: uri });
export const COMPATIBLE_KEYWORD_ANSWER = fields({
  success: exactly(true),
  data: fields({
    skills: listOf(COMPATIBLE_SKILL),
    pagination: fields({ ...PAGINATION_FIELDS, hasNext: truth, hasPrev: truth }),
  }),
  meta: META,
});
export const COMPATIBLE_SEMANTIC_ANSWER = fields({
  success: exactly(true),
  data: fields({
    data: listOf(fields({ file_id: filledText, filename: filledText, score: share, skill: COMPATIBLE_SKILL })),
  }),
  meta: META,
});
export const FIND_ANSWER = fields({
  query: filledText,
  searchType: exactly('fuzzy'),
  skills: listOf(
    fields({ id: filledText, skillId: filledText, name: filledText, installs: count, source: filledText }),
  ),
  count,
});

type Json = Readonly<Record<string, unknown>>;

/** The words of JSON Schema that are looked at; another one is an error, so that none is passed over. */
const KNOWN = new Set([
  '$ref',
  'type',
  'required',
  'properties',
  'items',
  'const',
  'enum',
  'minimum',
  'maximum',
  'maxLength',
  'maxItems',
  'pattern',
  'format',
  'default',
  'description',
  'minLength',
  'example',
]);

/**
 * What is wrong with a value by a schema of an OpenAPI document. Stricter than JSON Schema: an object may not have
 * other properties than those described.
 */
export function schemaFaults(document: Json, schema: Json, value: unknown, at = 'it'): string[] {
  const strange = Object.keys(schema).filter((word) => !KNOWN.has(word));
  if (strange.length > 0) throw new Error(`the schema of ${at} has ${strange.join(', ')}, which is not checked`);
  const { $ref, type, properties, required, items, minimum, maximum, maxLength, maxItems, pattern } = schema;
  if (typeof $ref === 'string') return schemaFaults(document, resolve(document, $ref), value, at);
  const faults: string[] = [];
  const expectThat = (holds: boolean, what: string): unknown => holds || faults.push(`${at}: ${what}`);

  if (type !== undefined) expectThat(isOfType(value, type as string), `${JSON.stringify(value)} is no ${type}`);
  if ('const' in schema) expectThat(value === schema['const'], `is not ${String(schema['const'])}`);
  if (Array.isArray(schema['enum']))
    expectThat(schema['enum'].includes(value), `${String(value)} is none of the values`);
  if (schema['format'] === 'uri') expectThat(URL.canParse(String(value)), 'is no URI');
  if (minimum !== undefined) expectThat(Number(value) >= Number(minimum), 'is too small');
  if (maximum !== undefined) expectThat(Number(value) <= Number(maximum), 'is too large');
  if (maxLength !== undefined) expectThat([...String(value)].length <= Number(maxLength), 'is too long');
  if (pattern !== undefined) expectThat(new RegExp(String(pattern), 'u').test(String(value)), 'is not of the pattern');
  if (Array.isArray(value)) {
    if (maxItems !== undefined) expectThat(value.length <= Number(maxItems), 'has too many items');
    faults.push(...value.flatMap((item, i) => schemaFaults(document, items as Json, item, `${at}[${i}]`)));
  }
  if (type === 'object' && isObject(value)) {
    const known = properties as Readonly<Record<string, Json>>;
    for (const name of required as string[]) expectThat(Object.hasOwn(value, name), `${name} is missing`);
    for (const [name, field] of Object.entries(value)) {
      const shape = known[name];
      if (shape === undefined) faults.push(`${at}.${name} is not described`);
      else faults.push(...schemaFaults(document, shape, field, `${at}.${name}`));
    }
  }
  return faults;
}

function resolve(document: Json, ref: string): Json {
  return ref
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((part, name) => (part as Json)[name], document) as Json;
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  return type === 'object' ? isObject(value) : typeof value === type;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
