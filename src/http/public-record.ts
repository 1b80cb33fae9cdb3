import type { Skill } from '../index.js';
import { linkToSkill } from './pages/frame/page-paths.js';

/** A skill as the API returns it: the eight fields of the specification. */
export type PublicSkill = Pick<
  Skill,
  'id' | 'name' | 'author' | 'description' | 'codehostUrl' | 'skillUrl' | 'stars' | 'updatedAt'
>;

/** The end of `"codehostUrl":"unknown"`. Quotes inside a text are escaped in JSON, so only a field can contain this. */
const WITHOUT_URL = 'Url":"unknown"';

export interface RecordOptions {
  /** Origin and path before `/skills/<id>`. */
  readonly publicUrl: string;
  /** Whether to repeat `codehostUrl` as `githubUrl`, the name that clients of the public service read. */
  readonly githubUrl: boolean;
}

/** A stored record as it is sent. Most are sent without being parsed. */
export function publicRecord(record: string, options: RecordOptions): string {
  if (!options.githubUrl && !record.includes(WITHOUT_URL)) return record;
  return JSON.stringify(publicSkill(JSON.parse(record) as PublicSkill, options));
}

/** A skill as it is sent: the eight fields. An unknown URL becomes that of the skill's page on this service. */
export function publicSkill(skill: PublicSkill, { publicUrl, githubUrl }: RecordOptions): PublicSkill {
  const { id, name, author, description, stars, updatedAt } = skill;
  const page = linkToSkill(publicUrl, id);
  const codehostUrl = skill.codehostUrl === 'unknown' ? page : skill.codehostUrl;
  const skillUrl = skill.skillUrl === 'unknown' ? page : skill.skillUrl;
  const more = githubUrl ? { githubUrl: codehostUrl } : {};
  return { id, name, author, description, codehostUrl, skillUrl, stars, updatedAt, ...more };
}
