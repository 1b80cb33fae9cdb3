/** The paths that the service answers. */
export const PATHS = {
  keyword: '/api/v1/skills/search',
  semantic: '/api/v1/skills/ai-search',
  health: '/api/health',
  /** Search of `npx skills find`; with `compatibility` only. */
  find: '/api/search',
  /** The Model Context Protocol; with `mcp` only. */
  mcp: '/mcp',
  home: '/',
  description: '/openapi.json',
  /** Before the id of a skill. */
  skills: '/skills/',
} as const;
