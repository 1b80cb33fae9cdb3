export * from './format-options.js';
export { formatSkills, toolNameOf } from './format-skills.js';
export { countTokens } from './text-size.js';
