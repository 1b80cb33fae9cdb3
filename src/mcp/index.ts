export type { McpOptions } from './engine.js';
export type { StdioServer } from './serve-stdio.js';
export { checkSdk, loadSdk } from './skills/load-sdk.js';
export { PublishedSkills } from './skills/published-skills.js';
export type { UnpublishedListener } from './skills/unpublished-listener.js';
export { unpublishedLog } from './unpublished-log.js';
