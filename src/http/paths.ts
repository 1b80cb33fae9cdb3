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
