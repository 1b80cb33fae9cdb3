/**
 * A skill of the catalogue. The first eight fields are those of the Skill Discovery API; every one is always present.
 */
export interface Skill {
  /** Unique and stable from load to load. */
  readonly id: string;
  readonly name: string;
  /** User name on the code-hosting platform; `unknown` where nothing told it. */
  readonly author: string;
  readonly description: string;
  /** URI of the repository or folder; `unknown` where nothing told it. */
  readonly codehostUrl: string;
  /** URI of the page about the skill; `unknown` where nothing told it. */
  readonly skillUrl: string;
  /** Star count, an integer of at least 0; 0 where unknown. */
  readonly stars: number;
  /** Last change, in Unix seconds; 0 where unknown. */
  readonly updatedAt: number;
  /** Category slugs, `[a-z0-9-]`. */
  readonly categories: readonly string[];
  /** Occupation slugs, mostly with their SOC code at the end: `software-developers-151252`. */
  readonly occupations: readonly string[];
}

/** What the front matter of a SKILL.md may say beside name and description. */
export interface SkillProperties {
  readonly license?: string;
  readonly compatibility?: string;
  readonly allowedTools?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A skill with the optional properties of its SKILL.md. */
export interface SkillDetails extends Skill, SkillProperties {}

/** A text file of a skill's folder. */
export interface SkillFile {
  /** `<skill id>/<filename>`, unique in a catalogue. */
  readonly fileId: string;
  /** Path inside the skill's folder, with `/`: `SKILL.md`, `references/forms.md`. */
  readonly filename: string;
  /** The text; of a SKILL.md the body, without the front matter. */
  readonly text: string;
}

/** What stands for an author or an address that nobody told. */
export const UNKNOWN = 'unknown';
