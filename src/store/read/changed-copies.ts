import type { DocumentNumber, SkillNumber } from '../../core/index.js';
import { SHORT_TEXT } from '../copies/are-near.js';
import { copyPreference } from '../copies/copy-preference.js';
import { joinNearCopies } from '../copies/near-copies.js';
import { SKETCH_BYTES } from '../copies/text-signature.js';
import { FORGOTTEN, SUPERSEDED } from '../schema.js';
import { readSignature } from '../signature-table.js';
import type { Connection } from '../sqlite/connection.js';

/** Groups of copies, and what they follow from, by document number. */
export interface GroupedDocuments {
  /** Right for all but the skills that changed, and their relatives. Changed here. */
  readonly copyGroup: Uint32Array;
  readonly skillNumbers: Float64Array;
  readonly stars: Float64Array;
  readonly updatedAt: Float64Array;
  readonly idRank: Uint32Array;
  /** Ascending. */
  readonly damaged: Uint32Array;
  /** Skills that came or are gone. */
  readonly changed: readonly SkillNumber[];
}

/**
 * Brings the groups of copies up to date after a small change. Skills are compared only if they have the same name or
 * the same text, so only the relatives of what changed can be in other groups than before: skills that have a name or a
 * text in common with it, or with a relative. Among them the groups are made anew.
 *
 * @param connection in a transaction that reads the state
 */
export function changedCopyGroups(connection: Connection, documents: GroupedDocuments): Uint32Array {
  const { copyGroup, skillNumbers, damaged, changed } = documents;
  if (changed.length === 0) return copyGroup;
  const relatives = relativesOf(connection, changed);
  const left: DocumentNumber[] = [];
  const isDamaged = new Set(damaged);
  for (let document = 0; document < skillNumbers.length; document++) {
    if (relatives.has(skillNumbers[document]!) && !isDamaged.has(document)) left.push(document);
  }
  const pick = (values: ArrayLike<number>): Float64Array => Float64Array.from(left, (document) => values[document]!);
  const names = new Uint32Array(left.length);
  const texts = new Float64Array(left.length);
  const words = new Float64Array(left.length);
  const sketches = new Uint8Array(left.length * SKETCH_BYTES);
  const groups = new Map<string, number>();
  const groupOf = new Uint32Array(left.length);
  const signatureOf = readSignature(connection);
  const copyKey = connection.prepare<[SkillNumber], string>('SELECT copy_key FROM skill WHERE number = ?').pluck();
  for (const [i, document] of left.entries()) {
    const skill = skillNumbers[document]!;
    const key = copyKey.get(skill) ?? '';
    const group = groups.get(key) ?? i;
    groups.set(key, group);
    groupOf[i] = group;
    const signature = signatureOf(skill);
    names[i] = signature.name;
    texts[i] = signature.text;
    words[i] = signature.words;
    sketches.set(signature.sketch, i * SKETCH_BYTES);
  }
  const preference = copyPreference({
    stars: pick(documents.stars),
    updatedAt: pick(documents.updatedAt),
    idRank: pick(documents.idRank),
  });
  const joined = joinNearCopies(groupOf, preference, { names, texts, words, sketches });
  for (const [i, document] of left.entries()) copyGroup[document] = left[joined[i]!]!;
  return copyGroup;
}

/** Skills that have a name or a text in common with some skills, or with one that has. */
function relativesOf(connection: Connection, changed: readonly SkillNumber[]): ReadonlySet<SkillNumber> {
  type Row = [name: number, text: number, words: number];
  const read = connection
    .prepare<[SkillNumber, SkillNumber, SkillNumber], Row>(`
      SELECT name, text, words FROM text_signature WHERE skill = ?
      UNION ALL SELECT name, text, words FROM main.${SUPERSEDED.text_signature} WHERE skill = ?
      UNION ALL SELECT name, text, words FROM main.${FORGOTTEN} WHERE skill = ? AND name IS NOT NULL`)
    .raw();
  const ofName = connection
    .prepare<[number], [SkillNumber, ...Row]>('SELECT skill, name, text, words FROM text_signature WHERE name = ?')
    .raw();
  const ofText = connection
    .prepare<[number], [SkillNumber, ...Row]>('SELECT skill, name, text, words FROM text_signature WHERE text = ?')
    .raw();
  const relatives = new Set<SkillNumber>(changed);
  const names = new Set<number>();
  const texts = new Set<number>();
  const waiting: Row[] = changed.flatMap((skill) => read.all(skill, skill, skill));
  for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
    const [name, text, words] = row;
    const found = names.has(name) ? [] : ofName.all(name);
    names.add(name);
    // Shorter texts are not compared.
    if (words >= SHORT_TEXT && !texts.has(text)) {
      texts.add(text);
      for (const other of ofText.all(text)) found.push(other);
    }
    for (const [skill, ...other] of found) {
      if (relatives.has(skill)) continue;
      relatives.add(skill);
      waiting.push(other);
    }
  }
  return relatives;
}
