export { countTokens } from './count-tokens.js';
export {
  type AnthropicToolResult,
  type FormatOptions,
  type FormattableSkill,
  type FormattedSkills,
  type FormatValues,
  type JsonSkills,
  type OpenaiFunction,
  type OpenaiToolSearchOutput,
  SKILL_FORMATS,
  type SkillFormat,
  type SkillOrHit,
} from './format-options.js';
export { formatSkills } from './format-skills.js';
export { toolNameOf } from './tool-name.js';
