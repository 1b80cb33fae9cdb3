/**
 * Where a folder with skills belongs: to a project, to a user, to a plugin of an agent, or to all users of a machine.
 */
export const SKILL_SCOPES = ['project', 'user', 'plugin', 'system'] as const;
export type SkillScope = (typeof SKILL_SCOPES)[number];

/** From which agent's folder a skill was read. */
export interface SkillInstallation {
  /** The name of the agent, a slug `[a-z0-9-]`: `claude-code`, `codex`. */
  readonly agent: string;
  readonly scope: SkillScope;
  /**
   * Absolute path of the skill's folder, as the agent reaches it. Only if the search was opened with
   * `localPaths: true`, and only of skills that were loaded from a folder.
   */
  readonly path?: string;
  /** The name of the plugin that brought the skill. */
  readonly plugin?: string;
}

/** A skill of a catalogue. Every field is always present; the first eight are those of the Skill Discovery API. */
export interface Skill {
  /** Unique in its catalogue. Stays the same from load to load. */
  readonly id: string;
  readonly name: string;
  /** User name on the code-hosting platform, or `unknown`. */
  readonly author: string;
  readonly description: string;
  /** URI of the repository or folder, or `unknown`. */
  readonly codehostUrl: string;
  /** URI of the page about the skill, or `unknown`. */
  readonly skillUrl: string;
  /** Number of stars, an integer of at least 0; 0 if unknown. */
  readonly stars: number;
  /** Time of the last update, in Unix seconds; 0 if unknown. */
  readonly updatedAt: number;
  /** Category slugs, `[a-z0-9-]`. */
  readonly categories: readonly string[];
  /**
   * Categories that a classifier gave to a skill whose source gives none: at most three slugs, the likeliest first.
   * Filters and facets count them as categories; words do not find them. Absent if there are none.
   */
  readonly derivedCategories?: readonly string[];
  /** Occupation slugs, usually with their SOC code at the end: `software-developers-151252`. */
  readonly occupations: readonly string[];
  /** Free labels, as the source has them. */
  readonly tags: readonly string[];
  /**
   * Absolute path of the folder with the SKILL.md, as of the load that wrote the skill. Only if the search was opened
   * with `localPaths: true`, and only of skills that were loaded from a folder.
   */
  readonly localPath?: string;
  /**
   * The agents that have this skill, and where; absent if no source says so. A skill of an answer has it only if the
   * search was opened with `localPaths: true`; `SkillSearch.get` always tells it.
   */
  readonly installations?: readonly SkillInstallation[];
}

/** Optional fields in the front matter of a `SKILL.md`, beside name and description. */
export interface SkillProperties {
  readonly license?: string;
  readonly compatibility?: string;
  readonly allowedTools?: string;
  /**
   * False if only a user, but no model, may call the skill: its front matter says `disable-model-invocation: true`, or
   * `internal: true` in its `metadata`. Absent if a model may. (`user-invocable` is about the user's menu and does not
   * count.)
   */
  readonly invocable?: false;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /**
   * The whole front matter as it was written, also what the fields above say: numbers, dates, `true` and `false` are
   * text, a key without a value is null. Of a row of JSON, the object that it has in this field.
   */
  readonly frontMatter?: Readonly<Record<string, unknown>>;
}

/** A skill with the optional fields of its `SKILL.md`. */
export interface SkillDetails extends Skill, SkillProperties {}

/** A text file of a skill's folder. */
export interface SkillFile {
  /** `<skill id>/<filename>`, unique in its catalogue. */
  readonly fileId: string;
  /** Path inside the skill's folder, with `/`: `SKILL.md`, `references/forms.md`. */
  readonly filename: string;
  /** The whole text; for a `SKILL.md` without its front matter. */
  readonly text: string;
}

/** A file of a skill as it is, beside what is searched. */
export interface ContentFile {
  /** Path inside the skill's folder, with `/`, as it is on the disk. */
  readonly path: string;
  /** Bytes; of an excerpt those of the excerpt. */
  readonly size: number;
  /** SHA-256 of these bytes, 64 hexadecimal digits. */
  readonly sha256: string;
  /** By its extension and its content: `text/markdown`, `application/octet-stream`. */
  readonly mediaType: string;
  readonly executable: boolean;
  /** False if the bytes are an excerpt, or were not kept. */
  readonly complete: boolean;
}

/** What a skill is made of. */
export interface SkillContents {
  /**
   * Whether every file is complete and nothing was left out. Only then may the skill be installed, published or given
   * out as itself.
   */
  readonly complete: boolean;
  /** In code-point order of their paths. */
  readonly files: readonly ContentFile[];
}

/** A file of a skill as it is, before it is stored. */
export interface DraftContentFile extends Omit<ContentFile, 'mediaType'> {
  readonly isText: boolean;
  /** `text`: those of the skill's searched file of the same name; undefined: they are not kept. */
  readonly bytes: Uint8Array | 'text' | undefined;
}

/** What a skill is made of, before it is stored. */
export interface DraftContents extends Pick<SkillContents, 'complete'> {
  /** Each path once, in code-point order. */
  readonly files: readonly DraftContentFile[];
}

/** The folder that a skill was read from. */
export interface SkillFolder {
  /** Absolute, without symbolic links. */
  readonly path: string;
  /**
   * Whether the skill has no other origin: no remote of a git repository. Then two folders are two skills, whatever
   * their names, and one folder is one skill, whichever source it is reached through.
   */
  readonly isOrigin: boolean;
}

/** The value of an author or URI that no source gives. */
export const UNKNOWN = 'unknown';
