import { readFile } from 'node:fs/promises';
import { dataFile, MAX_LIMIT } from '../core/index.js';
import { operationPaths, type ServedExtras } from './routes.js';

/** The whole description, with all that options add. Written by hand; a test holds it to what is answered. */
const FILE = dataFile('openapi.json');

/** What the service adds for clients of the public service, by its name in schemas and examples. */
const ADDED: readonly unknown[] = ['githubUrl', 'hasNext', 'hasPrev'];

interface ApiDocument {
  servers: readonly { readonly url: string }[];
  tags: readonly { readonly name: string }[];
  readonly paths: Record<string, Readonly<Record<string, { readonly tags: readonly string[] }>>>;
  readonly components: Readonly<Record<string, Record<string, unknown>>>;
}

let text: string | undefined;

/** The Skill Discovery API as an OpenAPI 3.1 document, as far as the service has it: programs make clients of it. */
export async function describeApi(publicUrl: string, extras: ServedExtras): Promise<string> {
  text ??= await readFile(FILE, 'utf8');
  const document = JSON.parse(text, extras.compatible ? undefined : strictly) as ApiDocument;
  const served = new Set(operationPaths(extras));
  for (const path of Object.keys(document.paths)) if (!served.has(path)) delete document.paths[path];
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const tags = new Set(operations.flatMap((operation) => operation.tags));
  document.servers = [{ url: publicUrl }];
  document.tags = document.tags.filter(({ name }) => tags.has(name));
  dropUnused(document);
  return JSON.stringify(document);
}

/** Leaves out what is added for clients of the public service: fields, and that a larger `limit` is taken. */
function strictly(key: string, value: unknown): unknown {
  if (ADDED.includes(key)) return undefined;
  if (Array.isArray(value)) return value.filter((one) => !ADDED.includes(one));
  const { name, schema } = (value ?? {}) as { readonly name?: unknown; readonly schema?: object };
  if (name !== 'limit' || schema === undefined) return value;
  return { ...(value as object), description: 'Skills on a page.', schema: { ...schema, maximum: MAX_LIMIT } };
}

/** Schemas and headers that nothing refers to: those of operations that are not served. */
function dropUnused(document: ApiDocument): void {
  for (let before = '', now = JSON.stringify(document); now !== before; ) {
    for (const [kind, parts] of Object.entries(document.components)) {
      if (kind === 'securitySchemes') continue;
      for (const name of Object.keys(parts)) {
        if (!now.includes(`"#/components/${kind}/${name}"`)) delete parts[name];
      }
    }
    before = now;
    now = JSON.stringify(document);
  }
}
