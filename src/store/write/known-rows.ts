import type { SkillNumber } from '../../core/index.js';
import type { Connection } from '../sqlite/connection.js';
import { HASH_BYTES } from '../stored-skill.js';

/**
 * Rows whose skill is stored exactly as the row says, by fingerprint: a load need not read them.
 *
 * Only the catalogue counts, not what a killed run left in the working copy: an id may depend on what came before.
 */
export class KnownRows {
  readonly #read: (source: string) => ReadonlyMap<string, SkillNumber>;
  /** Skills of the catalogue that this load, or a killed run of it, wrote over: their rows are no longer known. */
  readonly #overwritten = new Set<SkillNumber>();
  /** The rows of one source: the latest that was asked for. */
  #loaded: { readonly source: string; readonly skills: ReadonlyMap<string, SkillNumber> } | undefined;

  /** @param read reads the known rows of a source from the catalogue; see {@link readKnownRows} */
  constructor(read: (source: string) => ReadonlyMap<string, SkillNumber>) {
    this.#read = read;
  }

  /** The skill of a row; undefined if the row has to be read. */
  skillOf(fingerprint: string, source: string): SkillNumber | undefined {
    if (this.#loaded?.source !== source) this.#loaded = { source, skills: this.#read(source) };
    const skill = this.#loaded.skills.get(fingerprint);
    return skill === undefined || this.#overwritten.has(skill) ? undefined : skill;
  }

  noteOverwritten(skill: SkillNumber): void {
    this.#overwritten.add(skill);
  }
}

/**
 * Reads what the rows of a source became when they were last read. Leaves out skills that have changed since, and
 * skills that the source no longer claims.
 *
 * @param withContents false leaves out skills with contents: they are stored with what the load is not to store
 * @returns skills by the fingerprint of their row
 */
export function readKnownRows(catalogue: Connection, source: string, withContents: boolean): Map<string, SkillNumber> {
  const known = new Map<string, SkillNumber>();
  const others = withContents ? '' : `AND length(skill.hash) <= ${HASH_BYTES}`;
  const rows = catalogue
    .prepare<[string], [skill: SkillNumber, fingerprint: Buffer]>(`
      SELECT skill.number, known_row.fingerprint
      FROM known_row JOIN claim USING (source, skill) JOIN skill ON skill.number = known_row.skill
      WHERE known_row.source = (SELECT number FROM source WHERE name = ?) AND known_row.hash = skill.hash ${others}`)
    .raw();
  for (const [skill, fingerprint] of rows.iterate(source)) known.set(fingerprint.toString('latin1'), skill);
  return known;
}
