import { type Comparator, type DocumentNumber, Members, madeOnce, type Pieces } from '../../core/index.js';

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
 * Keeps one document of each group of copies, in the place of the first of them.
 *
 * @param documents each once
 * @param groupOf group of each document, named by one of its documents
 * @param preference the first document of a group in this order is kept
 */
export function collapseCopies(
  documents: ArrayLike<DocumentNumber>,
  groupOf: Uint32Array,
  preference: Comparator,
): Collapsed {
  const among = new CopiesAmong(Uint32Array.from(documents), groupOf, preference, spacesOfCalls);
  const kept = among.firsts().map((document) => among.keptOf(document));
  const counts = new Map<DocumentNumber, number>();
  for (const document of kept) {
    const count = among.countOf(document);
    if (count > 1) counts.set(document, count);
  }
  return { documents: kept, counts };
}

/**
 * Some documents in such an order that those of a group are neighbours.
 *
 * @param documents each once
 * @param groupOf group of each document, named by one of its documents
 */
export function besideTheirCopies(documents: Uint32Array, groupOf: Uint32Array): Uint32Array {
  const among = new CopiesAmong(documents, groupOf, () => 0, spacesOfCalls);
  const ordered = new Uint32Array(documents.length);
  let count = 0;
  const add = (document: DocumentNumber): void => {
    ordered[count++] = document;
  };
  for (const first of among.firsts()) among.visitGroup(first, add);
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
  const members = madeOnce(membersByGroups, groupOf, () => Members.byGroup(groupOf, groupOf.length));
  return members.of(groupOf[document]!);
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

/** A group of copies, reduced to one document. */
interface CollapsedGroup {
  readonly kept: DocumentNumber;
  readonly count: number;
}

/**
 * The groups of copies among some documents. How many there are is counted at once; which document is kept of a group,
 * and for how many it stands, is found out when that is asked for: for those of a page. Valid until the next one is
 * made over the same groups in the same space.
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
  constructor(
    documents: Uint32Array,
    groupOf: Uint32Array,
    preference: Comparator,
    spaces: GroupSpaces = spacesOfPages,
  ) {
    const space = spaceFor(groupOf, spaces);
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

  /** The first document of each group, in their order. */
  firsts(): Uint32Array {
    return this.#documents.filter((_, i) => this.#before[i] === 0);
  }

  /** The document that is kept of the group of one of those given. */
  keptOf(document: DocumentNumber): DocumentNumber {
    return this.#hasCopies[document] === 0 ? document : this.#groupWith(document).kept;
  }

  /** Whether a document, one of those given, is kept. */
  isKept(document: DocumentNumber): boolean {
    return this.keptOf(document) === document;
  }

  /** How many of the documents a kept one stands for, itself included. */
  countOf(document: DocumentNumber): number {
    return this.#hasCopies[document] === 0 ? 1 : this.#groupWith(document).count;
  }

  /** Visits the documents of the group of one of those given, the last one first. */
  visitGroup(document: DocumentNumber, visit: (document: DocumentNumber) => void): void {
    const isAlone = this.#hasCopies[document] === 0;
    if (isAlone) visit(document);
    let next = isAlone ? 0 : this.#lastOf[this.#groupOf[document]!]! - this.#first + 1;
    for (; next !== 0; next = this.#before[next - 1]!) visit(this.#documents[next - 1]!);
  }

  #groupWith(document: DocumentNumber): CollapsedGroup {
    const group = this.#groupOf[document]!;
    let collapsed = this.#collapsed.get(group);
    if (collapsed === undefined) {
      let [kept, count] = [document, 0];
      this.visitGroup(document, (other) => {
        if (this.#preference(other, kept) < 0) kept = other;
        count += 1;
      });
      collapsed = { kept, count };
      this.#collapsed.set(group, collapsed);
    }
    return collapsed;
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

type GroupSpaces = WeakMap<Uint32Array, GroupSpace>;

/** Of groups that are asked about as long as a page is made, and of those that are asked about in one call. */
const spacesOfPages: GroupSpaces = new WeakMap();
const spacesOfCalls: GroupSpaces = new WeakMap();

function spaceFor(groupOf: Uint32Array, spaces: GroupSpaces): GroupSpace {
  return madeOnce(spaces, groupOf, () => {
    // One entry per document, since groups are named by documents. Place 0 is that of groups that were never met.
    return { lastOf: new Uint32Array(groupOf.length), free: 1, hasCopies: documentsWithCopies(groupOf) };
  });
}

/** Takes places for some documents: the first of them. They fit in 32 bits. */
function takePlaces(space: GroupSpace, count: number): number {
  if (space.free + count > 2 ** 32) {
    space.lastOf.fill(0);
    space.free = 1;
  }
  const first = space.free;
  space.free += count;
  return first;
}

function documentsWithCopies(groupOf: Uint32Array): Uint8Array {
  const hasCopies = new Uint8Array(groupOf.length);
  groupOf.forEach((group, document) => {
    // A group is named by one of its documents, so a document in the group of another has it for a copy.
    if (group === document) return;
    hasCopies[document] = 1;
    hasCopies[group] = 1;
  });
  return hasCopies;
}
