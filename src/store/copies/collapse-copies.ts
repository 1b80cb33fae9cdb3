import type { Comparator, DocumentNumber, Pieces } from '../../core/index.js';
import { Members } from '../../core/index.js';

/** A list of documents after each group of copies was reduced to one document. */
export interface Collapsed {
  readonly documents: Uint32Array;
  /** How many documents of the list a kept one stands for; only where that is more than one. */
  readonly counts: ReadonlyMap<DocumentNumber, number>;
}

/**
 * Keeps one document of each group of copies.
 *
 * @param groupOf group of each document, named by one of its documents
 * @param preference the first document of a group in this order is kept
 */
export function collapseCopies(
  documents: ArrayLike<DocumentNumber>,
  groupOf: ArrayLike<DocumentNumber>,
  preference: Comparator,
): Collapsed {
  const keptOf = spaceOf(groupOf);
  const counts = new Map<DocumentNumber, number>();
  for (let i = 0; i < documents.length; i++) {
    const document = documents[i]!;
    const group = groupOf[document]!;
    const other = keptOf[group]! - 1;
    if (other === -1) {
      keptOf[group] = document + 1;
      continue;
    }
    const count = (counts.get(other) ?? 1) + 1;
    const winner = preference(document, other) < 0 ? document : other;
    counts.delete(other);
    counts.set(winner, count);
    keptOf[group] = winner + 1;
  }
  const kept = new Uint32Array(documents.length);
  let count = 0;
  for (let i = 0; i < documents.length; i++) {
    const group = groupOf[documents[i]!]!;
    if (keptOf[group] === 0) continue;
    kept[count++] = keptOf[group]! - 1;
    keptOf[group] = 0;
  }
  return { documents: kept.subarray(0, count), counts };
}

/**
 * Some documents in such an order that those of a group are neighbours.
 *
 * @param documents each once
 * @param groupOf group of each document, named by one of its documents
 */
export function besideTheirCopies(documents: Uint32Array, groupOf: ArrayLike<DocumentNumber>): Uint32Array {
  const lastOf = spaceOf(groupOf);
  // By index of a document, the index of the one before it in its group, plus one; 0 for the first.
  const before = new Uint32Array(documents.length);
  for (let i = 0; i < documents.length; i++) {
    const group = groupOf[documents[i]!]!;
    before[i] = lastOf[group]!;
    lastOf[group] = i + 1;
  }
  const ordered = new Uint32Array(documents.length);
  let count = 0;
  for (let i = 0; i < documents.length; i++) {
    const group = groupOf[documents[i]!]!;
    for (let next = lastOf[group]!; next !== 0; next = before[next - 1]!) ordered[count++] = documents[next - 1]!;
    lastOf[group] = 0;
  }
  return ordered;
}

/**
 * All copies of some documents, these included.
 *
 * @param groupOf group of each document, named by one of its documents; it must not change
 */
export function allCopiesOf(documents: readonly DocumentNumber[], groupOf: Uint32Array): DocumentNumber[] {
  const groups = new Set(documents.map((document) => groupOf[document]!));
  return [...groups].flatMap((group) => Array.from(copiesOf(group, groupOf)));
}

/** A document and its copies, ascending. The array belongs to the catalogue. */
export function copiesOf(document: DocumentNumber, groupOf: Uint32Array): Uint32Array {
  return membersOf(groupOf).of(groupOf[document]!);
}

/**
 * Makes in pieces what {@link allCopiesOf} needs of a catalogue, unless it is there. Else its first call makes it,
 * which may take more than 10 ms.
 */
export function* prepareCopies(groupOf: Uint32Array): Pieces<void> {
  if (membersByGroups.has(groupOf)) return;
  membersByGroups.set(groupOf, yield* Members.inPieces(groupOf, groupOf.length));
}

/** The members of the groups of each catalogue; made when its copies are first looked for. */
const membersByGroups = new WeakMap<Uint32Array, Members>();

function membersOf(groupOf: Uint32Array): Members {
  let members = membersByGroups.get(groupOf);
  if (members === undefined) {
    members = Members.byGroup(groupOf, groupOf.length);
    membersByGroups.set(groupOf, members);
  }
  return members;
}

/** Working space of each catalogue: a number by group; all 0 between two calls. */
const spaces = new WeakMap<ArrayLike<number>, Int32Array>();

function spaceOf(groupOf: ArrayLike<DocumentNumber>): Int32Array {
  let space = spaces.get(groupOf);
  if (space === undefined) {
    // One entry per document, since groups are named by documents.
    space = new Int32Array(groupOf.length);
    spaces.set(groupOf, space);
  }
  return space;
}
