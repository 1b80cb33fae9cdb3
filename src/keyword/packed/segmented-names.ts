import { compareCodePoints, lowerBoundBy, typedNameKey } from '../../core/index.js';
import type { CountedText } from '../keyword-index.js';
import { GONE } from '../packed-keywords.js';
import { StringTable } from '../term-dictionary.js';
import { firstOf } from './first-of.js';
import type { OpenSegment } from './open-segments.js';

/** A name in one of its spellings, or in that of most documents. */
interface CountedName extends CountedText {
  readonly key: string;
  /** Length of the text in UTF-8. */
  readonly bytes: number;
}

/** The names of a segment. */
class SegmentNames {
  readonly segment: OpenSegment;
  readonly #names: StringTable;
  #counts: Uint32Array | undefined;

  constructor(segment: OpenSegment) {
    this.segment = segment;
    this.#names = new StringTable(segment.completions.names, segment.pager);
  }

  textAt(name: number): string {
    return this.#names.at(name);
  }

  keyAt(name: number): string {
    return typedNameKey(this.#names.at(name));
  }

  /** The first name whose key is not before another in code-point order. */
  firstNotBefore(key: string): number {
    return lowerBoundBy(this.#names.size, (name) => compareCodePoints(this.keyAt(name), key) < 0);
  }

  /** The names whose keys begin with some characters: the first, and the one behind the last. */
  rangeOfPrefix(key: string): readonly [from: number, to: number] {
    const to = lowerBoundBy(this.#names.size, (name) => {
      const other = this.keyAt(name);
      return compareCodePoints(other, key) < 0 || other.startsWith(key);
    });
    return [this.firstNotBefore(key), to];
  }

  /** The names around one that have its key. */
  groupOf(name: number): readonly [from: number, to: number] {
    const key = this.keyAt(name);
    let [from, to] = [name, name + 1];
    while (from > 0 && this.keyAt(from - 1) === key) from -= 1;
    while (to < this.#names.size && this.keyAt(to) === key) to += 1;
    return [from, to];
  }

  /** By name, the number of documents that are left and have it. */
  get counts(): Uint32Array {
    if (this.#counts === undefined) {
      const { completions, pager, numbers } = this.segment;
      pager.need(completions.nameOf);
      this.#counts = new Uint32Array(this.#names.size);
      for (let i = 0; i < numbers.length; i++) {
        const name = completions.nameOf[i]!;
        if (numbers[i] !== GONE) this.#counts[name] = this.#counts[name]! + 1;
      }
    }
    return this.#counts;
  }
}

/** Names of several segments that begin with a text, see `KeywordIndex.namesBeginning`. */
export class SegmentedNames {
  readonly #largest: SegmentNames;
  readonly #others: readonly SegmentNames[];
  /** By name of the largest segment, its `nameCounts` without documents that are gone; made for the first answer. */
  #nameCounts: Uint32Array | undefined;
  /** By key, the names of the largest segment that have it. */
  readonly #groups = new Map<string, readonly [from: number, to: number]>();

  constructor(largest: OpenSegment, others: readonly OpenSegment[]) {
    this.#largest = new SegmentNames(largest);
    this.#others = others.map((segment) => new SegmentNames(segment));
  }

  beginning(text: string, limit: number): CountedText[] {
    const key = typedNameKey(text);
    if (key === '') return [];
    const largest = this.#largest;
    const { pager, completions } = largest.segment;
    const [from, to] = largest.rangeOfPrefix(key);
    const { starts } = completions.names;
    const counts = this.#countsOfLargest(from, to);
    pager.need(starts, from, to + 1);
    const lengthOf = (name: number): number => starts[name + 1]! - starts[name]!;
    const touched = this.#inOthers(key);
    // Of names with the same key, one has a count. One that others have, too, only comes earlier by that.
    const best = firstOf(from, to, (a, b) => counts[b]! - counts[a]! || lengthOf(a) - lengthOf(b) || a - b, limit);
    const alone = best
      .filter((name) => counts[name]! > 0)
      .map((name) => ({
        text: largest.textAt(name),
        key: largest.keyAt(name),
        count: counts[name]!,
        bytes: lengthOf(name),
      }))
      .filter((name) => !touched.has(name.key));
    return [...alone, ...touched.values()]
      .sort((a, b) => b.count - a.count || a.bytes - b.bytes || compareCodePoints(a.key, b.key))
      .slice(0, limit)
      .map((name) => ({ text: name.text, count: name.count }));
  }

  #countsOfLargest(from: number, to: number): Uint32Array {
    const { completions, pager, hasAll, numbers } = this.#largest.segment;
    const { nameCounts, nameOf } = completions;
    if (hasAll) {
      pager.need(nameCounts, from, to);
      return nameCounts;
    }
    if (this.#nameCounts === undefined) {
      pager.need(nameCounts);
      pager.need(nameOf);
      const counts = nameCounts.slice();
      for (let i = 0; i < numbers.length; i++) if (numbers[i] === GONE) this.#countGroup(nameOf[i]!, counts);
      this.#nameCounts = counts;
    }
    return this.#nameCounts;
  }

  /** Counts the names of one key again: all at the first of the most frequent spellings. */
  #countGroup(name: number, counts: Uint32Array): void {
    const bySpelling = this.#largest.counts;
    const [from, to] = this.#largest.groupOf(name);
    let [best, total] = [from, 0];
    for (let one = from; one < to; one++) {
      total += bySpelling[one]!;
      if (bySpelling[one]! > bySpelling[best]!) best = one;
    }
    counts.fill(0, from, to);
    counts[best] = total;
  }

  /** The names of the other segments that begin with a key, by key, with the documents of all segments. */
  #inOthers(prefix: string): ReadonlyMap<string, CountedName> {
    const spellings = new Map<string, Map<string, number>>();
    for (const names of this.#others) {
      const { counts } = names;
      const [from, to] = names.rangeOfPrefix(prefix);
      for (let name = from; name < to; name++) {
        if (counts[name] === 0) continue;
        const key = names.keyAt(name);
        let ofKey = spellings.get(key);
        if (ofKey === undefined) {
          ofKey = this.#spellingsInLargest(key);
          spellings.set(key, ofKey);
        }
        const text = names.textAt(name);
        ofKey.set(text, (ofKey.get(text) ?? 0) + counts[name]!);
      }
    }
    return new Map(Array.from(spellings, ([key, ofKey]) => [key, mostFrequent(key, ofKey)]));
  }

  #spellingsInLargest(key: string): Map<string, number> {
    const largest = this.#largest;
    let group = this.#groups.get(key);
    if (group === undefined) {
      const from = largest.firstNotBefore(key);
      const isThere = from < largest.counts.length && largest.keyAt(from) === key;
      group = isThere ? largest.groupOf(from) : [from, from];
      this.#groups.set(key, group);
    }
    const spellings = new Map<string, number>();
    for (let name = group[0]; name < group[1]; name++) spellings.set(largest.textAt(name), largest.counts[name]!);
    return spellings;
  }
}

/** All documents of a key, in the first of the most frequent spellings. */
function mostFrequent(key: string, spellings: ReadonlyMap<string, number>): CountedName {
  const sorted = [...spellings].sort(([a, x], [b, y]) => y - x || compareCodePoints(a, b));
  const [text] = sorted[0]!;
  const count = sorted.reduce((sum, [, one]) => sum + one, 0);
  return { key, text, count, bytes: Buffer.byteLength(text) };
}
