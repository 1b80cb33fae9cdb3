import { PAGE_PATHS } from './pages/page.js';
import { INDEX_PATHS } from './published/publication.js';

/** What programs ask. Each of these, and nothing else, is in the description of the API. */
export type OperationName = 'keyword' | 'semantic' | 'health' | 'find' | 'download' | 'mcp';

/** What a service serves beside the three operations of the specification. */
export interface ServedExtras {
  /** Whether it makes the additions for clients of the public service. */
  readonly compatible: boolean;
  readonly mcp: boolean;
  readonly pages: boolean;
  /** Whether some skills are published. */
  readonly publishes: boolean;
}

/** A path that is answered. */
export interface Route {
  readonly path: string;
  /** `GET` stands for HEAD too. Where it is the only one, OPTIONS answers a preflight. */
  readonly methods: readonly ('GET' | 'POST' | 'DELETE')[];
  /** Operations are asked by programs, pages are for people, artifacts are files for either. */
  readonly kind: 'operation' | 'page' | 'artifact';
  /** Of an operation. */
  readonly name?: OperationName;
}

const READ = ['GET'] as const;
const ARTIFACTS: readonly string[] = [
  PAGE_PATHS.styles,
  PAGE_PATHS.script,
  PAGE_PATHS.icon,
  PAGE_PATHS.favicon,
  PAGE_PATHS.robots,
];

/**
 * The paths that a service answers; the one for skills stands for `/skills/<id>` and what is below, those of indexes
 * for what is beside them, and a name in braces for any segment.
 */
export function servedRoutes({ compatible, mcp, pages, publishes }: ServedExtras): readonly Route[] {
  return [
    { path: PATHS.keyword, methods: READ, kind: 'operation', name: 'keyword' },
    { path: PATHS.semantic, methods: READ, kind: 'operation', name: 'semantic' },
    { path: PATHS.health, methods: READ, kind: 'operation', name: 'health' },
    ...(compatible ? ([{ path: PATHS.find, methods: READ, kind: 'operation', name: 'find' }] as const) : []),
    ...(compatible && publishes
      ? ([{ path: PATHS.download, methods: READ, kind: 'operation', name: 'download' }] as const)
      : []),
    ...(mcp
      ? ([{ path: PATHS.mcp, methods: ['POST', 'GET', 'DELETE'], kind: 'operation', name: 'mcp' }] as const)
      : []),
    ...(publishes
      ? Object.values(INDEX_PATHS).map((path) => ({ path, methods: READ, kind: 'artifact' }) as const)
      : []),
    ...(pages
      ? [
          { path: PATHS.description, methods: READ, kind: 'artifact' } as const,
          ...Object.values(PAGE_PATHS).map(
            (path): Route => ({ path, methods: READ, kind: ARTIFACTS.includes(path) ? 'artifact' : 'page' }),
          ),
        ]
      : []),
  ];
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

const OPERATIONS: ReadonlyMap<string, string> = new Map([
  [PATHS.keyword, 'keyword'],
  [PATHS.semantic, 'semantic'],
  [PATHS.health, 'health'],
  [PATHS.find, 'find'],
  [PATHS.mcp, 'mcp'],
  [PATHS.description, 'page'],
  ...Object.values(PAGE_PATHS).map((path): [string, string] => [path, 'page']),
]);

/** What is asked at a path: one of a few names, whatever clients send. */
export function operationOf(path: string): string {
  const operation = OPERATIONS.get(path);
  if (operation !== undefined) return operation;
  if (path.includes('/.well-known/') || path.startsWith('/api/download/')) return 'published';
  return path.startsWith(PAGE_PATHS.skills) ? 'page' : 'other';
}
