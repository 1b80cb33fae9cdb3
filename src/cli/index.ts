export { chooseAgents } from './init-command.js';
export { keptCode } from './kept-code.js';
export { oneLine } from './output.js';
export { scoreReason } from './result-lines.js';
export { COMMANDS, run } from './run.js';
export { fitColumns, widthOf, wrapRanges } from './text-columns.js';
