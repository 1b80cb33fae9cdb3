import type { SkillNumber, VectorNumber } from '../../core/index.js';
import { addToSum, type CatalogueFacts, linkSum, sumOfId } from '../facts.js';
import type { CatalogueState } from '../lineage.js';
import { DERIVED_LABELS, SUPERSEDED } from '../schema.js';
import type { Connection } from '../sqlite/connection.js';
import { HASH_BYTES } from '../stored-skill.js';

interface ChangedSkill {
  readonly number: SkillNumber;
  readonly id: string;
  readonly files: number;
  readonly hasContents: number;
  readonly completeId: string | null;
  readonly isLabelled: number;
  readonly vector: VectorNumber | null;
}

/** The vector of a skill. */
const VECTOR =
  '(SELECT vector.number FROM vector WHERE model = (SELECT number FROM model) AND vector.text_hash = skill.text_hash)';

/**
 * What a catalogue notes of itself after a small change, from what it noted before: only the rows of the change are
 * read.
 *
 * @param connection in the transaction of the change
 * @param base the catalogue as it was before the change
 * @param before the state before the change
 */
export function changedSums(
  connection: Connection,
  base: Connection,
  sums: CatalogueFacts,
  before: CatalogueState,
): CatalogueFacts {
  const { lastSkill, lastVector, sequence } = before;
  const changed = { ...sums };
  const add = (name: 'ids' | 'links' | 'contents' | 'completeIds' | 'derivedLabels', checksum: number): void => {
    changed[name] = addToSum(changed[name], checksum);
  };
  const count = ({ number, id, files, hasContents, completeId, isLabelled }: ChangedSkill, sign: 1 | -1): void => {
    changed.skills += sign;
    changed.files += sign * files;
    add('ids', sign * sumOfId(id));
    if (hasContents === 1) add('contents', sign * sumOfId(number));
    if (completeId !== null) add('completeIds', sign * sumOfId(completeId));
    if (isLabelled === 1 && number <= sums.loaded) add('derivedLabels', sign * sumOfId(number));
  };

  const came = connection.prepare<[number], ChangedSkill>(
    changedSkills({ skill: 'skill', ...LIVE }, 'skill.number > ? ORDER BY skill.number'),
  );
  for (const skill of came.iterate(lastSkill)) {
    count(skill, 1);
    add('links', linkSum(skill.number, skill.vector));
  }
  const went = connection.prepare<[number], ChangedSkill>(changedSkills(SUPERSEDED, 'skill.gone = ?'));
  for (const skill of went.iterate(sequence + 1)) {
    count(skill, -1);
    const vector = skill.vector !== null && skill.vector > lastVector ? null : skill.vector;
    add('links', -linkSum(skill.number, vector));
  }
  const vectors = connection.prepare<[number], number>('SELECT count(*) FROM vector WHERE number > ?').pluck();
  changed.vectors += vectors.get(lastVector)!;
  changed.blobs = connection.prepare<[], number>('SELECT count(*) FROM blob').pluck().get()!;

  // A skill may get its labels in a later change than the one that wrote it: they need its vector.
  add('derivedLabels', sumOfLabelled(connection, sums.loaded) - sumOfLabelled(base, sums.loaded));

  // Skills that were there before, and whose text got a vector only now.
  const embedded = connection
    .prepare<[number, number], [SkillNumber, VectorNumber | null]>(
      `SELECT number, ${VECTOR} FROM skill WHERE number > ? AND number <= ?`,
    )
    .raw();
  const mayBeAny = sums.unembedded > 0 && changed.vectors > sums.vectors;
  for (const [skill, vector] of embedded.iterate(mayBeAny ? 0 : sums.loaded, lastSkill)) {
    if (vector === null || vector <= lastVector) continue;
    add('links', linkSum(skill, vector) - linkSum(skill, null));
    if (skill <= sums.loaded) changed.unembedded -= 1;
  }
  return changed;
}

/** What the checksum of derived labels covers of the skills that small changes wrote. */
function sumOfLabelled(connection: Connection, loaded: SkillNumber): number {
  const labelled = connection
    .prepare<[SkillNumber], SkillNumber>(`SELECT skill FROM ${DERIVED_LABELS} WHERE skill > ?`)
    .pluck();
  return labelled.all(loaded).reduce((sum, skill) => addToSum(sum, sumOfId(skill)), 0);
}

const LIVE = {
  file: 'file',
  contents: 'contents',
  content_file: 'content_file',
  derived_label: 'derived_label',
} as const;

function changedSkills(tables: Readonly<Record<keyof typeof LIVE | 'skill', string>>, where: string): string {
  return `
    SELECT skill.number, skill.id, (SELECT count(*) FROM ${tables.file} AS file WHERE file.skill = skill.number) AS files,
      length(skill.hash) > ${HASH_BYTES} OR contents.skill IS NOT NULL AS hasContents, contents.complete_id AS completeId,
      label.skill IS NOT NULL AS isLabelled, ${VECTOR} AS vector
    FROM ${tables.skill} AS skill LEFT JOIN ${tables.contents} AS contents ON contents.skill = skill.number
      LEFT JOIN ${tables.derived_label} AS label ON label.skill = skill.number
    WHERE ${where}`;
}
