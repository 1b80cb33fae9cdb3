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
export function operationPaths({ compatible, mcp, publishes }: ServedExtras): readonly string[] {
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
