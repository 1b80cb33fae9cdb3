export type { McpOptions } from './engine.js';
export { checkSdk, loadSdk } from './sdk.js';
export { PublishedSkills } from './skills.js';
export type { StdioServer } from './stdio.js';
export { type UnpublishedListener, unpublishedLog } from './unpublished.js';
