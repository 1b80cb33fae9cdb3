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
export { formatSkills, toolNameOf } from './format-skills.js';
export { countTokens } from './text-size.js';
