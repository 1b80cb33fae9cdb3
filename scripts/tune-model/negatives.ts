// Skills that are near to what is asked and not meant, by the vectors of a catalogue.
import type { DocumentNumber } from '../../src/core/index.js';
import { readQuestion } from '../../src/keyword/index.js';
import type { OpenState } from '../../src/search/open-state.js';
import type { VectorSearch } from '../../src/search/vector-search.js';

/** What the nearest skills of a pair are nearest to. */
export type NearestTo = 'skill' | 'text';

/** The groups of copies of a catalogue, one after the other. */
export class CopyGroups {
  readonly #groupOf: Uint32Array;
  /** All documents, those of a group together, the one with the most stars first. */
  readonly #documents: Uint32Array;
  /** Where the groups begin in `#documents`, and where the last one ends. */
  readonly #starts: number[] = [];
  readonly #preferred = new Map<DocumentNumber, DocumentNumber>();

  constructor({ columns }: OpenState['reader']) {
    const { copyGroup, starRank, size } = columns;
    this.#groupOf = copyGroup;
    this.#documents = Uint32Array.from({ length: size }, (_, document) => document).sort(
      (a, b) => copyGroup[a]! - copyGroup[b]! || starRank[a]! - starRank[b]!,
    );
    for (let i = 0; i < size; i++) {
      const group = this.of(this.#documents[i]!);
      if (this.#preferred.has(group)) continue;
      this.#preferred.set(group, this.#documents[i]!);
      this.#starts.push(i);
    }
    this.#starts.push(size);
  }

  /** Number of groups. */
  get count(): number {
    return this.#starts.length - 1;
  }

  /** The group of a document, named by one of its documents. */
  of(document: DocumentNumber): DocumentNumber {
    return this.#groupOf[document]!;
  }

  /** The document of a group with the most stars: the one that pairs name. */
  preferredOf(group: DocumentNumber): DocumentNumber {
    return this.#preferred.get(group)!;
  }

  /** The documents of the n-th group; the preferred one first. */
  documents(n: number): Uint32Array {
    return this.#documents.subarray(this.#starts[n], this.#starts[n + 1]);
  }
}

/** Nearest vectors that are looked at. */
const LOOKED_AT = 96;

/** So many of the nearest other skills are skipped: they often do the same under another name. */
const SKIPPED = 2;

/** Negatives are drawn from so many of the nearest that are left. */
const DRAWN_FROM = 30;

/**
 * A skill with more than this share of the right skill's cosine may be right as well. The rule and the number are
 * TopK-PercPos of NV-Retriever (G. de S. P. Moreira et al., arXiv:2407.15831, 2024).
 */
const MOST_OF_RIGHT = 0.95;

/** A group of copies near to what is asked. */
interface Candidate {
  readonly group: DocumentNumber;
  readonly cosine: number;
}

/** The neighbours of a vector. */
export interface Neighbours {
  /** Cosine of the vector and the right skill. */
  readonly right: number;
  /** Other skills, nearest first, one of each group of copies, none held out. */
  readonly others: readonly Candidate[];
}

/** Finds skills that are near to what is asked and not meant, by the vectors of a catalogue. */
export class HardNegatives {
  readonly #vectors: VectorSearch;
  readonly #groups: CopyGroups;
  readonly #heldOut: ReadonlySet<DocumentNumber>;
  readonly #nearestTo: NearestTo;

  /** @param heldOut groups that no negative may be of */
  constructor(vectors: VectorSearch, groups: CopyGroups, heldOut: ReadonlySet<DocumentNumber>, nearestTo: NearestTo) {
    this.#vectors = vectors;
    this.#groups = groups;
    this.#heldOut = heldOut;
    this.#nearestTo = nearestTo;
  }

  /** Whether the neighbours depend on the text, not only on the skill. */
  get dependOnText(): boolean {
    return this.#nearestTo === 'text';
  }

  /**
   * The neighbours of a skill, or of a text for it.
   *
   * @returns undefined if the skill has no vector
   * @throws {SkillSearchError} `EMBEDDER_FAILED`
   */
  async neighbours(document: DocumentNumber, text: string, signal?: AbortSignal): Promise<Neighbours | undefined> {
    const own = this.#vectors.documents.read([document]).mean(new Map([[document, 1]]));
    if (own === undefined) return undefined;
    const asked = this.dependOnText ? (await this.#vectors.embed(readQuestion(text), { signal }).whole).own : own;
    const places = await this.#vectors.documents.nearest(asked, LOOKED_AT);
    const documents = Array.from(places).flatMap((place) => [
      ...this.#vectors.documents.documentsAt(place).subarray(0, 1),
    ]);
    const cosines = this.#vectors.documents.read([...documents, document]).cosines([asked]);
    const right = cosines.get(document)?.[0] ?? 0;
    const ownGroup = this.#groups.of(document);
    const seen = new Set([ownGroup]);
    const others = documents
      .map((other) => ({ group: this.#groups.of(other), cosine: cosines.get(other)?.[0] ?? -1 }))
      .sort((a, b) => b.cosine - a.cosine || a.group - b.group)
      .filter(({ group }) => {
        if (seen.has(group) || this.#heldOut.has(group)) return false;
        seen.add(group);
        return true;
      });
    return { right, others };
  }
}

/**
 * Draws groups of copies as negatives from the neighbours: not the very nearest, none that may be right as well.
 *
 * @param holders groups that have the same text, which are no negatives
 * @param random numbers in [0, 1)
 */
export function drawNegatives(
  { right, others }: Neighbours,
  count: number,
  holders: ReadonlySet<DocumentNumber>,
  random: () => number,
): DocumentNumber[] {
  const allowed = others
    .slice(SKIPPED)
    .filter(({ group, cosine }) => cosine <= MOST_OF_RIGHT * right && !holders.has(group))
    .slice(0, DRAWN_FROM);
  return drawSome(allowed, count, random).map(({ group }) => group);
}

/** Some items, each as likely as any other, in their order. */
export function drawSome<T>(items: readonly T[], count: number, random: () => number): T[] {
  const drawn: T[] = [];
  for (const [i, item] of items.entries()) {
    // Selection sampling (D. E. Knuth, The Art of Computer Programming, volume 2, algorithm 3.4.2 S).
    if (random() * (items.length - i) < count - drawn.length) drawn.push(item);
  }
  return drawn;
}
