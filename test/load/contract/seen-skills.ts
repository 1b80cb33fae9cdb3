import type { SkillContents, SkillDetails, SkillFile, SkillSearch } from '../../../src/index.js';

/** All that a search tells of a skill. */
export interface SeenSkill {
  readonly skill: SkillDetails | undefined;
  readonly files: readonly SkillFile[];
  readonly contents: SkillContents | undefined;
  /** The bytes that it gives out, in base64, by path. */
  readonly bytes: Readonly<Record<string, string | undefined>>;
}

/** All that a search tells of each skill, sorted by id. */
export function skillsIn(search: SkillSearch): Map<string, SeenSkill> {
  return new Map([...search.ids()].sort().map((id) => [id, seen(search, id)] as const));
}

function seen(search: SkillSearch, id: string): SeenSkill {
  const contents = search.contents(id);
  const bytes = (contents?.files ?? []).map(({ path }) => {
    const found = search.read(id, path);
    return [path, found === undefined ? undefined : Buffer.from(found).toString('base64')] as const;
  });
  return { skill: search.get(id), files: search.files(id), contents, bytes: Object.fromEntries(bytes) };
}
