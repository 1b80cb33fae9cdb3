import type { Random } from './random.js';

const SYLLABLES =
  'ba be bi co da de do fa fi ga go ha in ka ke la le li lo ma me mi na ne no or pa pe po ra re ri ro sa se si ta te ti to va ve vi'.split(
    ' ',
  );
/** Letters before the ending. */
const SHORTEST = 4;
const ENDINGS = ['', '', '', 's', 'ing', 'er', 'ed', 'ment'];

/** They lead every list of English words, and a search treats them apart. */
const FUNCTION_WORDS = 'and to for the with use when a of in or this'.split(' ');

/**
 * Rank of a word and its share of all words, as in the descriptions of 94,254 real skills (2.8 million words, 82,578
 * distinct ones). What is rarer than one in a million goes on along the same line.
 */
const SHARES: readonly (readonly [rank: number, share: number])[] = [
  [1, 3.17e-2],
  [2, 2.04e-2],
  [5, 1.91e-2],
  [10, 7.33e-3],
  [30, 2.29e-3],
  [100, 1.2e-3],
  [300, 5.35e-4],
  [1000, 1.61e-4],
  [3000, 3.65e-5],
  [10_000, 4.29e-6],
  [30_000, 7.15e-7],
  [400_000, 1.2e-8],
];

/** Made-up words whose frequencies follow those of real descriptions: Zipf's law, with its bends. */
export class GeneratedWords {
  /** By rank less one; made when they first come. */
  readonly #words: string[] = [...FUNCTION_WORDS];
  /** Sums of the shares up to each word, by its rank less one. */
  readonly #sums: Float64Array;
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
    const size = (SHARES.at(-1) as readonly [number, number])[0];
    this.#sums = new Float64Array(size);
    let sum = 0;
    for (let rank = 1; rank <= size; rank++) {
      sum += shareOf(rank);
      this.#sums[rank - 1] = sum;
    }
  }

  /** So many words with blanks between them. */
  text(length: number): string {
    let text = '';
    for (let i = 0; i < length; i++) text += i === 0 ? this.#next(0) : ` ${this.#next(0)}`;
    return text;
  }

  /** So many words with hyphens between them, none of them a function word. */
  name(length: number): string {
    return Array.from({ length }, () => this.#next(FUNCTION_WORDS.length)).join('-');
  }

  /** @param first rank of the most frequent word that may come, less one */
  #next(first: number): string {
    const sums = this.#sums;
    const below = sums[first - 1] ?? 0;
    const wanted = below + this.#random() * ((sums[sums.length - 1] as number) - below);
    let [low, high] = [first, sums.length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sums[middle] as number) <= wanted) low = middle + 1;
      else high = middle;
    }
    const word = this.#words[low] ?? makeWord(low);
    this.#words[low] = word;
    return word;
  }
}

/** By straight lines between the measured points, both axes being logarithms. */
function shareOf(rank: number): number {
  const next = SHARES.findIndex(([above]) => above >= rank);
  const [toRank, toShare] = SHARES[next] as readonly [number, number];
  const [fromRank, fromShare] = SHARES[next - 1] ?? [toRank, toShare];
  if (fromRank === toRank) return toShare;
  const way = Math.log(rank / fromRank) / Math.log(toRank / fromRank);
  return fromShare * (toShare / fromShare) ** way;
}

/**
 * The word of a rank, counted from 0: the rank in base 41, a syllable a digit, so that frequent words are short, and an
 * ending. All syllables have two letters and no ending is made of such, so no two ranks share a word.
 */
function makeWord(rank: number): string {
  let word = '';
  for (let rest = rank; rest > 0 || word.length < SHORTEST; rest = Math.floor(rest / SYLLABLES.length)) {
    word += SYLLABLES[rest % SYLLABLES.length];
  }
  return word + ENDINGS[(rank * 5 + (rank >> 3)) % ENDINGS.length];
}
