import type { Comparator } from '../arrays/top.js';
import type { DocumentNumber } from '../numbers.js';
import { membersOf } from './members-of.js';

/** A group of copies, reduced to one document. */
interface CollapsedGroup {
  readonly kept: DocumentNumber;
  readonly count: number;
}

/**
 * Keeps one document of each group of copies among some documents. How many groups there are is counted at once; which
 * document is kept of a group, and for how many it stands, is found out where somebody asks: for those of a page.
 */
export class CopiesAmong {
  /** Number of groups. */
  readonly total: number;
  readonly #groupOf: Uint32Array;
  readonly #preference: Comparator;
  /** One bit a document: whether it is among the documents. */
  readonly #isAmong: Uint32Array;
  readonly #collapsed = new Map<DocumentNumber, CollapsedGroup>();

  /**
   * @param documents each once
   * @param groupOf group of each document of the catalogue, named by one of its documents; it must not change
   * @param preference the first document of a group in this order is kept
   */
  constructor(documents: Uint32Array, groupOf: Uint32Array, preference: Comparator) {
    this.#groupOf = groupOf;
    this.#preference = preference;
    const isAmong = new Uint32Array(Math.ceil(groupOf.length / 32));
    const isCounted = new Uint32Array(isAmong.length);
    let total = 0;
    for (let i = 0; i < documents.length; i++) {
      const document = documents[i]!;
      isAmong[document >>> 5] = isAmong[document >>> 5]! | (1 << (document & 31));
      const group = groupOf[document]!;
      const counted = isCounted[group >>> 5]!;
      const bit = 1 << (group & 31);
      if ((counted & bit) !== 0) continue;
      isCounted[group >>> 5] = counted | bit;
      total += 1;
    }
    this.total = total;
    this.#isAmong = isAmong;
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
    const known = this.#collapsed.get(group);
    if (known !== undefined) return known;
    const members = membersOf(this.#groupOf).of(group);
    if (members.length === 1) return { kept: document, count: 1 };
    const collapsed = this.#collapse(members);
    this.#collapsed.set(group, collapsed);
    return collapsed;
  }

  /** @param members one of them or more is among the documents */
  #collapse(members: Uint32Array): CollapsedGroup {
    let kept: DocumentNumber = -1;
    let count = 0;
    for (let i = 0; i < members.length; i++) {
      const document = members[i]!;
      if ((this.#isAmong[document >>> 5]! & (1 << (document & 31))) === 0) continue;
      count += 1;
      if (kept === -1 || this.#preference(document, kept) < 0) kept = document;
    }
    return { kept, count };
  }
}
