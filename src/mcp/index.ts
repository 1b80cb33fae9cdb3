export type { McpCatalogue } from './catalogue.js';
export { checkSdk, loadSdk } from './sdk.js';
export type { McpOptions } from './server.js';
export { publishedSkill } from './skills.js';
export type { StdioServer } from './stdio.js';
export { type UnpublishedListener, unpublishedLog } from './unpublished.js';
