import { readFile } from 'node:fs/promises';
import { dataFile, MAX_LIMIT } from '../core/index.js';
import { PAGE_PATHS } from './pages/page.js';

/** What a service serves beside the three operations of the specification. */
export interface ServedExtras {
  /** Whether it makes the additions for clients of the public service. */
  readonly compatible: boolean;
  readonly mcp: boolean;
  /** Whether some skills are published. */
  readonly publishes: boolean;
}

/** The paths that programs ask. What people see is at `PAGE_PATHS`. */
export const PATHS = {
  keyword: '/api/v1/skills/search',
  semantic: '/api/v1/skills/ai-search',
  health: '/api/health',
  /** Search of `npx skills find`; with `compatibility` only. */
  find: '/api/search',
  /** What `npx skills add` fetches of some repositories; with `compatibility` and `publish` only. */
  download: '/api/download/{owner}/{repository}/{skill}',
  /** The Model Context Protocol; with `mcp` only. */
  mcp: '/mcp',
  description: '/openapi.json',
} as const;

/** What programs ask: each of these, and nothing else, is in the description of the API. */
function operationPaths({ compatible, mcp, publishes }: ServedExtras): readonly string[] {
  const more = [compatible && PATHS.find, compatible && publishes && PATHS.download, mcp && PATHS.mcp];
  return [PATHS.keyword, PATHS.semantic, PATHS.health, ...more.filter((path) => path !== false)];
}

const OPERATIONS: ReadonlyMap<string, string> = new Map([
  ...(['keyword', 'semantic', 'health', 'find', 'mcp'] as const).map((name) => [PATHS[name], name] as const),
  ...[PATHS.description, ...Object.values(PAGE_PATHS)].map((path) => [path, 'page'] as const),
]);

/** What is asked at a path: one of a few names, whatever clients send. */
export function operationOf(path: string): string {
  const operation = OPERATIONS.get(path);
  if (operation !== undefined) return operation;
  if (path.includes('/.well-known/') || path.startsWith('/api/download/')) return 'published';
  return path.startsWith(PAGE_PATHS.skills) ? 'page' : 'other';
}

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

/** Leaves out what is added for clients of the public service: fields, parameters, and what is said of `limit`. */
function strictly(key: string, value: unknown): unknown {
  if (ADDED.includes(key)) return undefined;
  if (Array.isArray(value)) return value.filter((one) => !ADDED.includes(one) && one?.['x-compatible'] !== true);
  const part = (value ?? {}) as { readonly name?: unknown; readonly schema?: object; readonly maxItems?: number };
  if (key === 'skills' && part.maxItems !== undefined) return { ...part, maxItems: MAX_LIMIT };
  if (part.name !== 'limit' || part.schema === undefined) return value;
  return { ...part, description: 'Skills on a page.', schema: { ...part.schema, maximum: MAX_LIMIT } };
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
