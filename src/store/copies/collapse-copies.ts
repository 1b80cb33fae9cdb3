import { type Comparator, type DocumentNumber, Members, type Pieces } from '../../core/index.js';

/** What the preference among copies depends on, by document number. */
interface PreferenceFacts {
  readonly stars: ArrayLike<number>;
  readonly updatedAt: ArrayLike<number>;
  /** Rank of the document when all are sorted by id. */
  readonly idRank: ArrayLike<number>;
}

/** Decides which of several copies is shown: the one with the most stars, then the oldest, then the first id. Total. */
export function copyPreference({ stars, updatedAt, idRank }: PreferenceFacts): Comparator {
  const at = (values: ArrayLike<number>, i: number): number => values[i]!;
  return (a, b) => at(stars, b) - at(stars, a) || at(updatedAt, a) - at(updatedAt, b) || at(idRank, a) - at(idRank, b);
}

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

/** A group of copies, reduced to one document. */
interface CollapsedGroup {
  readonly kept: DocumentNumber;
  readonly count: number;
}

/**
 * Keeps one document of each group of copies among some documents. How many groups there are is counted at once; which
 * document is kept of a group, and for how many it stands, is found out where somebody asks: for those of a page. Valid
 * until the next one is made over the same groups.
 */
export class CopiesAmong {
  /** Number of groups. */
  readonly total: number;
  readonly #documents: Uint32Array;
  readonly #groupOf: Uint32Array;
  readonly #preference: Comparator;
  /** By group of copies, the place of its last document, counted from {@link #first} on; less for one without any. */
  readonly #lastOf: Uint32Array;
  readonly #first: number;
  /** By place of a document with copies, the place of the one before it in its group, plus one; 0 for the first. */
  readonly #before: Uint32Array;
  /** By document of the catalogue, 1 if its group has others. */
  readonly #hasCopies: Uint8Array;
  readonly #collapsed = new Map<DocumentNumber, CollapsedGroup>();

  /**
   * @param documents each once
   * @param groupOf group of each document of the catalogue, named by one of its documents
   * @param preference the first document of a group in this order is kept
   */
  constructor(documents: Uint32Array, groupOf: Uint32Array, preference: Comparator) {
    const space = spaceFor(groupOf);
    const first = takePlaces(space, documents.length);
    const { lastOf, hasCopies } = space;
    const before = new Uint32Array(documents.length);
    let total = documents.length;
    for (let i = 0; i < documents.length; i++) {
      const document = documents[i]!;
      // Most are alone, and a byte of each document is nearer at hand than two numbers.
      if (hasCopies[document] === 0) continue;
      const group = groupOf[document]!;
      const last = lastOf[group]!;
      if (last >= first) {
        total -= 1;
        before[i] = last - first + 1;
      }
      lastOf[group] = first + i;
    }
    this.total = total;
    this.#hasCopies = hasCopies;
    this.#documents = documents;
    this.#groupOf = groupOf;
    this.#preference = preference;
    this.#lastOf = lastOf;
    this.#first = first;
    this.#before = before;
  }

  /** Whether a document, one of those given, is kept. */
  isKept(document: DocumentNumber): boolean {
    return this.#hasCopies[document] === 0 || this.#groupWith(document).kept === document;
  }

  /** How many of the documents a kept one stands for, itself included. */
  countOf(document: DocumentNumber): number {
    return this.#hasCopies[document] === 0 ? 1 : this.#groupWith(document).count;
  }

  #groupWith(document: DocumentNumber): CollapsedGroup {
    const group = this.#groupOf[document]!;
    let collapsed = this.#collapsed.get(group);
    if (collapsed === undefined) {
      collapsed = this.#collapse(this.#lastOf[group]! - this.#first);
      this.#collapsed.set(group, collapsed);
    }
    return collapsed;
  }

  /** @param last place of the last document of a group */
  #collapse(last: number): CollapsedGroup {
    let kept = this.#documents[last]!;
    let count = 1;
    for (let next = this.#before[last]!; next !== 0; next = this.#before[next - 1]!) {
      const document = this.#documents[next - 1]!;
      if (this.#preference(document, kept) < 0) kept = document;
      count += 1;
    }
    return { kept, count };
  }
}

/** What is kept of the groups of a catalogue: a new space for each question would be as large as the catalogue. */
interface GroupSpace {
  /** A place by group. Those of former questions are less than those of the present one. */
  readonly lastOf: Uint32Array;
  /** The least place that was not taken yet. */
  free: number;
  /** By document, 1 if its group has others. */
  readonly hasCopies: Uint8Array;
}

const groupSpaces = new WeakMap<Uint32Array, GroupSpace>();

function spaceFor(groupOf: Uint32Array): GroupSpace {
  let space = groupSpaces.get(groupOf);
  if (space === undefined) {
    // One entry per document, since groups are named by documents. Place 0 is that of groups that were never met.
    space = { lastOf: new Uint32Array(groupOf.length), free: 1, hasCopies: documentsWithCopies(groupOf) };
    groupSpaces.set(groupOf, space);
  }
  return space;
}

/** Takes places for some documents: the first of them. */
function takePlaces(space: GroupSpace, count: number): number {
  if (space.free + count > MOST_PLACES) {
    space.lastOf.fill(0);
    space.free = 1;
  }
  const first = space.free;
  space.free += count;
  return first;
}

/** Places fit in 32 bits. */
const MOST_PLACES = 2 ** 32;

function documentsWithCopies(groupOf: Uint32Array): Uint8Array {
  const hasCopies = new Uint8Array(groupOf.length);
  for (let document = 0; document < groupOf.length; document++) {
    const group = groupOf[document]!;
    // A group is named by one of its documents, so whoever is in the group of another has it for a copy.
    if (group === document) continue;
    hasCopies[document] = 1;
    hasCopies[group] = 1;
  }
  return hasCopies;
}
