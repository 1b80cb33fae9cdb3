import { PAGE_PATHS } from './pages/frame/page-paths.js';
import { PATHS } from './paths.js';

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
