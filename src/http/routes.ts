import { PAGE_PATHS } from './pages/frame/page-paths.js';
import { PATHS } from './paths.js';
import { INDEX_PATHS } from './published/published-path.js';

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
