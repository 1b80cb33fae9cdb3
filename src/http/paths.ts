/** Where what is served. */
export const PATHS = {
  keyword: '/api/v1/skills/search',
  semantic: '/api/v1/skills/ai-search',
  health: '/api/health',
  /** For `npx skills find`. */
  find: '/api/search',
  home: '/',
  description: '/openapi.json',
  /** Followed by the id of a skill. */
  skills: '/skills/',
} as const;
