export type { McpOptions } from './engine.js';
export { checkSdk, loadSdk } from './sdk.js';
export type { UnpublishedListener } from './skills.js';
export { PublishedSkills, unpublishedLog } from './skills.js';
export type { StdioServer } from './stdio.js';
