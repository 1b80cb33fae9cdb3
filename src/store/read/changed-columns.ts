import type { DocumentNumber, SkillNumber } from '../../core/index.js';
import { DamagedArrayFileError, type Pager } from '../../core/index.js';
import { DerivedLabels } from '../derived-labels.js';
import { DOCUMENT_ORDER } from '../document-order.js';
import type { CatalogueState } from '../lineage.js';
import { FORGOTTEN, SUPERSEDED } from '../schema.js';
import type { Connection } from '../sqlite/connection.js';
import { changedCopyGroups } from './changed-copies.js';
import {
  type LateLabels,
  namesIn,
  type PackedColumns,
  type PackedLabels,
  packLabels,
  unpackLabels,
} from './columns.js';
import { type FormerOrder, GONE, mergeIdRanks, mergeOrder, mergeStarRanks } from './merged-order.js';
import { addRowLabels, type DocumentsByLabel, noRowLabels, type RowLabelsName } from './row-labels.js';
import { StoredRows } from './stored-row.js';

/** The columns of a state, put together from those of a former state and from the rows that changed since. */
export interface ChangedColumns {
  /** Without late labels. */
  readonly columns: PackedColumns;
  readonly readLate: (name: LateLabels) => PackedLabels | undefined;
  /** For each document of the former state its number in the present one, or {@link GONE}. */
  readonly numbers: Uint32Array;
  /** The documents that came since, ascending. */
  readonly came: Uint32Array;
}

/**
 * Puts the columns of a state together. Reads the rows that changed, and those of their copies; all else is arithmetic
 * over arrays: some milliseconds for 100,000 skills.
 *
 * @param connection in a transaction that reads the state
 * @param former columns of the former state; all arrays but those of late labels must be in memory
 * @param pager reads the late labels of the former state
 * @param since the former state
 * @param until the state to read
 * @throws {DamagedArrayFileError} if the columns are not those of the former state
 */
export function changedColumns(
  connection: Connection,
  former: PackedColumns,
  pager: Pager,
  since: CatalogueState,
  until: CatalogueState,
): ChangedColumns {
  const rows = new StoredRows(connection);
  const gone = new Set(
    connection
      .prepare<[number, number, number], SkillNumber>(
        `SELECT number FROM (
          SELECT number, gone FROM main.${SUPERSEDED.skill} UNION ALL SELECT skill, gone FROM main.${FORGOTTEN}
        ) WHERE gone > ? AND gone <= ? AND number <= ?`,
      )
      .pluck()
      .all(since.sequence, until.sequence, since.lastSkill),
  );
  const cameRows = connection
    .prepare<[SkillNumber], [SkillNumber, number, string]>(
      `SELECT number, updated_at, id FROM skill WHERE number > ? ORDER BY ${DOCUMENT_ORDER}`,
    )
    .raw()
    .all(since.lastSkill);
  const damagedBefore = former.damaged ?? new Uint32Array(0);
  const order: FormerOrder = { ...former, isGone: markGone(former.skillNumbers, gone), damaged: damagedBefore };
  const byId = Array.from(cameRows.keys()).sort((a, b) => compareIds(cameRows[a]![2], cameRows[b]![2]));
  const idsBefore = countIdsBefore(
    connection,
    former,
    since,
    byId.map((i) => cameRows[i]![2]),
  );
  const beforeOf = new Map(byId.map((i, rank) => [i, idsBefore[rank]!]));
  const merged = mergeOrder(
    order,
    cameRows.map(([, updatedAt], i) => ({ updatedAt, idsBefore: beforeOf.get(i)! })),
  );
  const { size, numbers, newNumbers } = merged;

  const skillNumbers = spread(former.skillNumbers, numbers, size);
  const stars = spread(former.stars, numbers, size);
  const updatedAt = spread(former.updatedAt, numbers, size);
  const damaged = [...damagedBefore].map((document) => numbers[document]!).filter((document) => document !== GONE);
  const labels = noRowLabels();
  const derivedLabels = DerivedLabels.in(connection);
  for (const [i, [skill]] of cameRows.entries()) {
    const document = newNumbers[i]!;
    skillNumbers[document] = skill;
    const row = rows.wholeRow(skill);
    const derived = row === undefined || derivedLabels === undefined ? '[]' : derivedLabels.of(skill, row.hash);
    if (row === undefined || derived === undefined) {
      damaged.push(document);
      continue;
    }
    stars[document] = row.stars;
    updatedAt[document] = row.updatedAt;
    addRowLabels(labels, row, derived, document);
  }
  const idRank = mergeIdRanks(
    order,
    merged,
    byId.map((i, rank) => ({ idsBefore: idsBefore[rank]!, document: newNumbers[i]! })),
  );
  const isDamaged = Uint32Array.from(damaged).sort();
  const copyGroup = changedCopyGroups(connection, {
    copyGroup: spreadDocuments(former.copyGroup, numbers, newNumbers, size),
    skillNumbers,
    stars,
    updatedAt,
    idRank,
    damaged: isDamaged,
    changed: [...gone, ...cameRows.map(([skill]) => skill)],
  });
  const withCame = (name: RowLabelsName, packed: PackedLabels): PackedLabels =>
    packLabels(mergeLabels(unpackLabels(packed), numbers, labels[name]));
  const withCameAuthors = (packed: PackedLabels): PackedLabels => {
    const formerAuthors = unpackLabels(packed);
    const merged = mergeLabels(formerAuthors, numbers, labels.authors);
    const formerNames = namesIn(packed, [...formerAuthors.keys()], pager);
    const names = new Map<string, string>();
    for (const [author, [first]] of merged) {
      const isFormer = numbers[formerAuthors.get(author)?.[0] ?? -1] === first;
      // Where another document is the first now, its record says it.
      const name = isFormer
        ? formerNames.get(author)
        : labels.authors.get(author)?.[0] === first
          ? labels.authorNames.get(author)
          : undefined;
      if (name !== undefined) names.set(author, name);
    }
    return packLabels(merged, names);
  };
  return {
    columns: {
      skillNumbers,
      stars,
      updatedAt,
      idRank,
      starRank: mergeStarRanks(former.starRank, merged, stars),
      copyGroup,
      damaged: isDamaged,
      categories: withCame('categories', former.categories),
      occupations: withCame('occupations', former.occupations),
    },
    readLate: (name) => {
      const packed = former[name];
      if (packed === undefined) return undefined;
      for (const array of [packed.slugs, packed.starts, packed.documents]) pager.need(array);
      return name === 'authors' ? withCameAuthors(packed) : withCame(name, packed);
    },
    numbers,
    came: newNumbers,
  };
}

function markGone(skillNumbers: Float64Array, gone: ReadonlySet<SkillNumber>): Uint8Array {
  const isGone = new Uint8Array(skillNumbers.length);
  let found = 0;
  for (let document = 0; document < isGone.length && found < gone.size; document++) {
    if (!gone.has(skillNumbers[document]!)) continue;
    isGone[document] = 1;
    found += 1;
  }
  if (found !== gone.size) throw new DamagedArrayFileError('the columns are not those of the former state');
  return isGone;
}

/**
 * How many documents of the former state have an id before each of some ids. Those that are gone may not count.
 *
 * @param ids of present skills that came since, ascending
 */
function countIdsBefore(
  connection: Connection,
  { skillNumbers, idRank }: PackedColumns,
  { lastSkill }: CatalogueState,
  ids: readonly string[],
): number[] {
  const before = connection
    .prepare<[string], SkillNumber>('SELECT number FROM skill WHERE id < ? ORDER BY id DESC LIMIT 1')
    .pluck();
  // The skill before each; of a skill that came itself, its number counts as that of the one before it.
  const neighbours = ids.map((id) => before.get(id) ?? 0);
  const wanted = new Set(neighbours.filter((skill) => skill > 0 && skill <= lastSkill));
  const rankOf = new Map<SkillNumber, number>();
  for (let document = 0; document < skillNumbers.length && rankOf.size < wanted.size; document++) {
    if (wanted.has(skillNumbers[document]!)) rankOf.set(skillNumbers[document]!, idRank[document]!);
  }
  let last = 0;
  return neighbours.map((skill) => {
    if (skill === 0) return 0;
    if (skill > lastSkill) return last;
    const rank = rankOf.get(skill);
    if (rank === undefined) throw new DamagedArrayFileError('the columns are not those of the former state');
    last = rank + 1;
    return last;
  });
}

function compareIds(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Puts the values of former documents where the documents are now. */
function spread(values: Float64Array, numbers: Uint32Array, size: number): Float64Array {
  const all = new Float64Array(size);
  for (let document = 0; document < numbers.length; document++) {
    const number = numbers[document]!;
    if (number !== GONE) all[number] = values[document]!;
  }
  return all;
}

/**
 * Like {@link spread} for values that are documents themselves. A new document gets itself, as does one whose is gone.
 */
function spreadDocuments(values: Uint32Array, numbers: Uint32Array, came: Uint32Array, size: number): Uint32Array {
  const all = new Uint32Array(size);
  for (let document = 0; document < numbers.length; document++) {
    const number = numbers[document]!;
    if (number === GONE) continue;
    const value = numbers[values[document]!]!;
    all[number] = value === GONE ? number : value;
  }
  for (const document of came) all[document] = document;
  return all;
}

function mergeLabels(
  former: ReadonlyMap<string, Uint32Array>,
  numbers: Uint32Array,
  came: DocumentsByLabel,
): DocumentsByLabel {
  const merged: [string, DocumentNumber[]][] = [];
  for (const [slug, documents] of former) {
    const left: DocumentNumber[] = [];
    const added = came.get(slug) ?? [];
    let next = 0;
    for (const document of documents) {
      const number = numbers[document]!;
      if (number === GONE) continue;
      while (next < added.length && added[next]! < number) left.push(added[next++]!);
      left.push(number);
    }
    while (next < added.length) left.push(added[next++]!);
    if (left.length > 0) merged.push([slug, left]);
  }
  for (const [slug, documents] of came) if (!former.has(slug)) merged.push([slug, documents]);
  // As they are found when all documents are read one after the other.
  return new Map(merged.sort(([, a], [, b]) => a[0]! - b[0]!));
}
