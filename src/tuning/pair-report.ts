import { PAIR_KINDS, type PairKind, type TrainingPair } from './training-pair.js';

/** What was made of a catalogue. */
export interface PairReport {
  /** Why the catalogue may be old: of an address, the copy that was here was read. */
  readonly warnings: readonly string[];
  /** Number of pairs. */
  readonly pairs: number;
  /** Skills with a pair; a skill and its copies count as one. */
  readonly skills: number;
  readonly byKind: Readonly<Record<PairKind, number>>;
  /** Pairs by the language of the text (ISO 639-1), the most frequent first. */
  readonly byLanguage: Readonly<Record<string, number>>;
  /** Pairs with at least one negative. */
  readonly withNegatives: number;
  /** Different phrases that were seen. */
  readonly phrases: number;
  readonly leftOut: LeftOut;
  /** Some pairs of each kind, drawn evenly. */
  readonly sample: readonly TrainingPair[];
}

/** What gave no pairs. */
export interface LeftOut {
  /** Skills that are held out, copies included. */
  readonly heldOut: number;
  /** Ids to hold out that the catalogue does not have. */
  readonly unknownIds: number;
  /** Skills that are damaged. */
  readonly damaged: number;
  /** Texts of skills, of the kinds that are made, that more than three skills have. */
  readonly frequent: number;
  /** Requests for skills that the catalogue does not have, for skills that are held out, and repeated ones. */
  readonly requests: { readonly unknown: number; readonly heldOut: number; readonly repeated: number };
}

/** Counts pairs as they are made. */
export class PairCounts {
  heldOut = 0;
  unknownIds = 0;
  damaged = 0;
  frequent = 0;
  phrases = 0;
  readonly requests: { unknown: number; heldOut: number; repeated: number } = { unknown: 0, heldOut: 0, repeated: 0 };
  readonly #groups = new Set<number>();
  readonly #byKind: Record<PairKind, number>;
  readonly #byLanguage = new Map<string, number>();
  #withNegatives = 0;
  readonly #sample: Record<PairKind, TrainingPair[]>;
  readonly #sampleSize: number;
  readonly #random: () => number;

  /**
   * @param sampleSize pairs of each kind in the sample
   * @param random numbers in [0, 1) that the sample is drawn with
   */
  constructor(sampleSize: number, random: () => number) {
    this.#sampleSize = sampleSize;
    this.#random = random;
    const record = <T>(value: () => T) => Object.fromEntries(PAIR_KINDS.map((kind) => [kind, value()]));
    this.#byKind = record(() => 0) as Record<PairKind, number>;
    this.#sample = record((): TrainingPair[] => []) as Record<PairKind, TrainingPair[]>;
  }

  /** @param group number of the group of copies that the skill belongs to */
  add(pair: TrainingPair, group: number): void {
    const { kind, language } = pair;
    this.#groups.add(group);
    this.#byKind[kind] += 1;
    this.#byLanguage.set(language, (this.#byLanguage.get(language) ?? 0) + 1);
    if (pair.negatives !== undefined && pair.negatives.length > 0) this.#withNegatives += 1;
    this.#draw(this.#sample[kind], pair, this.#byKind[kind]);
  }

  report(): Omit<PairReport, 'warnings'> {
    const { heldOut, unknownIds, damaged, frequent, requests, phrases } = this;
    const languages = [...this.#byLanguage].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    return {
      pairs: PAIR_KINDS.reduce((sum, kind) => sum + this.#byKind[kind], 0),
      skills: this.#groups.size,
      byKind: { ...this.#byKind },
      byLanguage: Object.fromEntries(languages),
      withNegatives: this.#withNegatives,
      phrases,
      leftOut: { heldOut, unknownIds, damaged, frequent, requests: { ...requests } },
      sample: PAIR_KINDS.flatMap((kind) => this.#sample[kind]),
    };
  }

  /** Keeps each of the pairs seen so far with the same probability (J. S. Vitter's algorithm R, 1985). */
  #draw(sample: TrainingPair[], pair: TrainingPair, seen: number): void {
    if (sample.length < this.#sampleSize) {
      sample.push(pair);
      return;
    }
    const index = Math.floor(this.#random() * seen);
    if (index < this.#sampleSize) sample[index] = pair;
  }
}
