import { MAX_DESCRIPTION } from '../../core/index.js';
import type { Layout } from './format-skills.js';
import { PIECE, textSize } from './text-size.js';

/** Stands behind a description that was cut. */
const CUT = ' …';

/** So much of a first sentence is worth showing, as a `textSize`. With less for each, the first skills get it. */
const WORTH_SHOWING = 8 * PIECE;

/**
 * As much as fits of the descriptions of skills, escaped. Each gets its first sentence before any gets its second. A
 * first sentence that does not fit is cut at a word, to a share of what is left, so that it does not stop the others.
 * While a description has nothing, none gets a second sentence.
 *
 * @param descriptions clean texts, not escaped
 * @param budget for the descriptions with what the layout puts around them, as a `textSize`
 * @returns as many texts; empty for one of which nothing fits
 */
export function describeSkills(
  descriptions: readonly string[],
  layout: Layout,
  budget: number,
  mostSentences: number,
): string[] {
  const { longest } = layout;
  if (layout.description === undefined) return descriptions.map(() => '');
  const around = textSize(layout.description[0]) + textSize(layout.description[1]);
  let size = mostSentences > 1 ? 0 : Number.NaN;
  const isWholeFitting = descriptions.every((text) => {
    size += text.length > longest ? Number.NaN : textSize(layout.escape(text)) + around;
    return size <= budget;
  });
  if (isWholeFitting) return descriptions.map(layout.escape);
  const growing = descriptions.map((text) => new Growing(text === '' ? [] : sentencesIn(text), layout, around));
  let left = takeFirst(growing, budget);
  if (mostSentences > 1 && growing.every(({ isEmpty }) => !isEmpty)) {
    let open = growing.filter(({ ended }) => !ended);
    while (open.length > 0) {
      for (const one of open) left -= one.takeNext(left);
      open = open.filter(({ ended }) => !ended);
    }
  }
  return growing.map((one) => one.text());
}

/** Gives each its first sentence, or a part of it. @returns what is left of the budget */
function takeFirst(growing: readonly Growing[], budget: number): number {
  let left = budget;
  for (const [i, one] of growing.entries()) {
    left -= one.takeNext(left);
    if (one.isEmpty) left -= one.takePart(left, Math.max(left / (growing.length - i), one.worth));
  }
  // The others may have left something.
  const cut = growing.filter(({ isEmpty, isCut }) => isEmpty || isCut);
  for (const [i, one] of cut.entries()) {
    left -= one.takePart(left, Math.max(one.size + left / (cut.length - i), one.worth));
  }
  return left;
}

/** A description that grows by sentences. */
class Growing {
  readonly #sentences: readonly string[];
  readonly #layout: Layout;
  readonly #around: number;
  #taken = 0;
  /** Size of the sentences taken, escaped. */
  #inner = 0;
  /** Number of their characters, not escaped. */
  #length = 0;
  /** Of a first sentence that does not fit: its beginning, not escaped. */
  #part = '';
  /** What it takes of the budget: its text, what stands around it, and the mark of a cut. */
  size = 0;
  /** Whether no further sentence fits. */
  ended: boolean;

  constructor(sentences: readonly string[], layout: Layout, around: number) {
    this.#sentences = sentences;
    this.#layout = layout;
    this.#around = around;
    this.ended = sentences.length === 0;
  }

  /** Whether there is a description, of which nothing is shown. */
  get isEmpty(): boolean {
    return this.#sentences.length > 0 && this.size === 0;
  }

  /** Whether only a part of the first sentence is shown. */
  get isCut(): boolean {
    return this.#part !== '';
  }

  /** The size of the shortest part worth showing. */
  get worth(): number {
    return this.#around + textSize(CUT) + WORTH_SHOWING;
  }

  /** Takes the next sentence if it fits into what is left. @returns how much larger it became */
  takeNext(left: number): number {
    const sentence = this.#sentences[this.#taken];
    if (sentence === undefined || this.ended) return 0;
    const isLast = this.#taken + 1 === this.#sentences.length;
    const inner = this.#inner + textSize(this.#layout.escape(sentence));
    const length = this.#length + sentence.length;
    const size = this.#around + inner + (isLast ? 0 : textSize(CUT));
    if (size - this.size > left || length + (isLast ? 0 : CUT.length) > this.#layout.longest) {
      this.ended = true;
      return 0;
    }
    this.#taken++;
    this.#inner = inner;
    this.#length = length;
    this.ended = isLast;
    return this.#resize(size);
  }

  /** Takes as much of the first sentence as fits into a share. @returns how much larger it became */
  takePart(left: number, share: number): number {
    const { longest } = this.#layout;
    const most = Math.min(share, this.size + left);
    const sizeOf = (part: string): number => this.#around + textSize(this.#layout.escape(part) + CUT);
    const fits = (part: string): boolean => part.length + CUT.length <= longest && sizeOf(part) <= most;
    // Finding the cut of a far longer text would take seconds.
    const part = cutAtWord(this.#sentences[0]!, Math.min(longest, MAX_DESCRIPTION), fits);
    if (part.length <= this.#part.length) return 0;
    this.#part = part;
    return this.#resize(sizeOf(part));
  }

  text(): string {
    if (this.isCut) return this.#layout.escape(this.#part) + CUT;
    const text = this.#layout.escape(this.#sentences.slice(0, this.#taken).join('')).trimEnd();
    return this.#taken === 0 || this.#taken === this.#sentences.length ? text : text + CUT;
  }

  #resize(size: number): number {
    const more = size - this.size;
    this.size = size;
    return more;
  }
}

let segmenter: Intl.Segmenter | undefined;

/** Longer words are cut like scripts without blanks: addresses, or encoded data. In characters. */
const LONGEST_WORD = 40;

/** Longer characters are cut between code points: no writing has them, only marks heaped on a letter. In code units. */
const LONGEST_CHARACTER = 32;

/** Code units that are looked at first. */
const FIRST_LOOK = 64;

/** A blank, or a character of a script that writes words without blanks between them. */
const BREAK =
  /^[\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * The longest beginning of a text that fits and ends with a word, or with a character where there is no end of a word
 * nearby; empty if no character fits. Never the whole text, never half a character. Characters are looked for where the
 * text may be cut only: splitting all of a long one takes some milliseconds.
 *
 * @param fits asked for some 20 beginnings, without blanks at their end; says yes to what is shorter than what fits
 */
function cutAtWord(text: string, longest: number, fits: (beginning: string) => boolean): string {
  segmenter ??= new Intl.Segmenter();
  const looked = text.slice(0, longest);
  const characters = segmenter.segment(looked);
  const startOf = (at: number): number => {
    const { index, segment } = characters.containing(at)!;
    if (segment.length <= LONGEST_CHARACTER) return index;
    return at > 0 && looked.codePointAt(at - 1)! > 0xffff ? at - 1 : at;
  };
  const beginning = (end: number): string => looked.slice(0, end).trimEnd();
  // The last character may have been cut by slice().
  let [low, high] = [0, looked.length];
  while (low + 1 < high) {
    // Most of a long text may be far from fitting: looking begins with a short beginning.
    const middle = Math.min((low + high) >> 1, 2 * low + FIRST_LOOK);
    if (fits(beginning(startOf(middle)))) low = middle;
    else high = middle;
  }
  const end = low === 0 ? 0 : startOf(low);
  // The size of half a word may be larger than that of the word.
  const shorter = beginning(endOfWord(looked, end, startOf));
  return shorter !== '' && fits(shorter) ? shorter : beginning(end);
}

/** The last place up to `end` where a word ends; `end` itself if there is none nearby. */
function endOfWord(text: string, end: number, startOf: (at: number) => number): number {
  const isBreak = (at: number): boolean => BREAK.test(text.slice(at, at + 2));
  for (let at = end, seen = 0; at > 0 && seen < LONGEST_WORD; seen++) {
    const before = startOf(at - 1);
    if (isBreak(before) || isBreak(at)) return at;
    at = before;
  }
  return end;
}

let sentenceSegmenter: Intl.Segmenter | undefined;

/** The sentences of a text in any language. Together they are the text. Creating the sentenceSegmenter takes some 25 ms. */
function sentencesIn(text: string): string[] {
  sentenceSegmenter ??= new Intl.Segmenter('en', { granularity: 'sentence' });
  return [...sentenceSegmenter.segment(text)].map(({ segment }) => segment);
}
