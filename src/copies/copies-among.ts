import type { Comparator } from '../arrays/top.js';
import type { DocumentNumber } from '../numbers.js';

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
  /** By group, the place of its last document, plus one; 0 for a group without any. */
  readonly #lastOf: Uint32Array;
  /** By place of a document, the place of the one before it in its group, plus one; 0 for the first. */
  readonly #before: Uint32Array;
  readonly #collapsed = new Map<DocumentNumber, CollapsedGroup>();

  /**
   * @param documents each once
   * @param groupOf group of each document of the catalogue, named by one of its documents
   * @param preference the first document of a group in this order is kept
   */
  constructor(documents: Uint32Array, groupOf: Uint32Array, preference: Comparator) {
    const lastOf = spaceFor(documents, groupOf);
    const before = new Uint32Array(documents.length);
    let total = 0;
    for (let i = 0; i < documents.length; i++) {
      const group = groupOf[documents[i]!]!;
      const last = lastOf[group]!;
      if (last === 0) total += 1;
      before[i] = last;
      lastOf[group] = i + 1;
    }
    this.total = total;
    this.#documents = documents;
    this.#groupOf = groupOf;
    this.#preference = preference;
    this.#lastOf = lastOf;
    this.#before = before;
  }

  /** Whether a document, one of those given, is kept. */
  isKept(document: DocumentNumber): boolean {
    return this.#groupWith(document).kept === document;
  }

  /** How many of the documents a kept one stands for, itself included. */
  countOf(document: DocumentNumber): number {
    return this.#groupWith(document).count;
  }

  #groupWith(document: DocumentNumber): CollapsedGroup {
    const group = this.#groupOf[document]!;
    let collapsed = this.#collapsed.get(group);
    if (collapsed === undefined) {
      collapsed = this.#collapse(this.#lastOf[group]!);
      this.#collapsed.set(group, collapsed);
    }
    return collapsed;
  }

  /** @param last place of the last document of a group, plus one */
  #collapse(last: number): CollapsedGroup {
    let kept = this.#documents[last - 1]!;
    let count = 1;
    for (let next = this.#before[last - 1]!; next !== 0; next = this.#before[next - 1]!) {
      const document = this.#documents[next - 1]!;
      if (this.#preference(document, kept) < 0) kept = document;
      count += 1;
    }
    return { kept, count };
  }
}

/** Working space of each catalogue, a number by group, and the documents whose groups have one there. */
const spaces = new WeakMap<Uint32Array, { readonly lastOf: Uint32Array; readonly documents: Uint32Array }>();

/** A working space that is all 0. A new one for each question would be as large as the catalogue. */
function spaceFor(documents: Uint32Array, groupOf: Uint32Array): Uint32Array {
  const former = spaces.get(groupOf);
  // One entry per document, since groups are named by documents.
  const lastOf = former?.lastOf ?? new Uint32Array(groupOf.length);
  if (former !== undefined) {
    for (let i = 0; i < former.documents.length; i++) lastOf[groupOf[former.documents[i]!]!] = 0;
  }
  spaces.set(groupOf, { lastOf, documents });
  return lastOf;
}
