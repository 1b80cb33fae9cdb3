export { chooseAgents } from './init-command.js';
export { targetOf } from './install-command.js';
export { KeptCode } from './kept-code.js';
export { manyLines, oneLine } from './output.js';
export { scoreReason, semanticLines } from './result-lines.js';
export { COMMANDS, run } from './run.js';
export { ageOf, fitColumns, joinParts, pad, stylesFor, widthOf, wrapRanges } from './text-columns.js';
