import type { Skill } from '../index.js';
import { PATHS } from './paths.js';

/** The eight fields of the specification, in its order. */
export const SKILL_FIELDS = [
  'id',
  'name',
  'author',
  'description',
  'codehostUrl',
  'skillUrl',
  'stars',
  'updatedAt',
] as const;

/** A skill as the interface has it. */
export type PublicSkill = Pick<Skill, (typeof SKILL_FIELDS)[number]>;

/** The end of `"codehostUrl":"unknown"`. Inside a text of a record the quotes would be escaped: it is found only in a field. */
const WITHOUT_URL = 'Url":"unknown"';

export interface RecordOptions {
  /** What `/skills/<id>` is put behind. */
  readonly publicUrl: string;
  /** Whether `codehostUrl` is told a second time under the name that clients of the public service read. */
  readonly githubUrl: boolean;
}

/** A stored record as it is sent: mostly as it is. */
export function publicRecord(record: string, options: RecordOptions): string {
  if (!options.githubUrl && !record.includes(WITHOUT_URL)) return record;
  return JSON.stringify(publicSkill(JSON.parse(record) as PublicSkill, options));
}

/** A skill as it is sent: the eight fields, with the address of its page here where nobody told another. */
export function publicSkill(skill: PublicSkill, { publicUrl, githubUrl }: RecordOptions): PublicSkill {
  const { id, name, author, description, stars, updatedAt } = skill;
  const page = skillPageUrl(publicUrl, id);
  const codehostUrl = skill.codehostUrl === 'unknown' ? page : skill.codehostUrl;
  const skillUrl = skill.skillUrl === 'unknown' ? page : skill.skillUrl;
  const more = githubUrl ? { githubUrl: codehostUrl } : {};
  return { id, name, author, description, codehostUrl, skillUrl, stars, updatedAt, ...more };
}

function skillPageUrl(publicUrl: string, id: string): string {
  return `${publicUrl}${PATHS.skills}${encodeURIComponent(id)}`;
}
