/** The paths that programs ask. What people see is at `PAGE_PATHS`. */
export const PATHS = {
  keyword: '/api/v1/skills/search',
  semantic: '/api/v1/skills/ai-search',
  health: '/api/health',
  /** Search of `npx skills find`; with `compatibility` only. */
  find: '/api/search',
  /** The Model Context Protocol; with `mcp` only. */
  mcp: '/mcp',
  description: '/openapi.json',
} as const;
