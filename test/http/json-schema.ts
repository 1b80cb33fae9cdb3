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
