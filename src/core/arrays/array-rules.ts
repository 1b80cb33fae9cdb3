import type { ReadHeader } from './array-file-header.js';
import type { ArrayType, NumberArray } from './array-tree.js';

/**
 * What must hold for an array of a file, whatever its checksum says: a checksum is no secret. Code that reads the array
 * may then use its values as indexes into the other arrays of the file.
 */
export interface ArrayRule {
  readonly type: ArrayType;
  /** Number of elements; any number by default. */
  readonly length?: number;
  /** Every value is less than this. */
  readonly below?: number;
  /** The values never fall, the first is 0 and the last is this. There is at least one. */
  readonly risesTo?: number;
}

/** The sizes that a header states. */
export interface StatedSizes {
  /** Number of elements of an array; `NaN` if the file has none of this path. */
  lengthOf(path: string): number;
  /** A single number; `NaN` if the file has none of this path. */
  numberOf(path: string): number;
}

/** What a file must hold: a rule for each of its arrays, and its single numbers. */
export interface FileRules {
  readonly arrays: Readonly<Record<string, ArrayRule>>;
  /** Paths of the single numbers. Each is an integer from 0. */
  readonly numbers: readonly string[];
}

/** Derives the rules of a file from the sizes that its header states. */
export type RulesOf = (sizes: StatedSizes) => FileRules;

/** Whether a file has exactly the arrays and numbers of its rules, in their types and lengths. Reads no array. */
export function hasStatedShape({ sections, numbers }: ReadHeader, rulesOf: RulesOf): boolean {
  const rules = rulesOf(sizesIn({ sections, numbers }));
  const names = new Set([...sections, ...numbers].map(({ path }) => path));
  const wanted = Object.keys(rules.arrays).length + rules.numbers.length;
  if (names.size !== wanted || sections.length + numbers.length !== wanted) return false;
  const hasNumbers = rules.numbers.every((path) =>
    numbers.some((leaf) => leaf.path === path && Number.isSafeInteger(leaf.value) && leaf.value >= 0),
  );
  return hasNumbers && sections.every(({ path, type, length }) => fits(ruleOf(rules, path), type, length));
}

/** The rule of an array; undefined if there is none. */
export function ruleOf({ arrays }: FileRules, path: string): ArrayRule | undefined {
  return Object.hasOwn(arrays, path) ? arrays[path] : undefined;
}

/** The sizes that the header of a file states. */
export function sizesIn({ sections, numbers }: Pick<ReadHeader, 'sections' | 'numbers'>): StatedSizes {
  const lengths = new Map(sections.map(({ path, length }) => [path, length]));
  const values = new Map(numbers.map(({ path, value }) => [path, value]));
  return {
    lengthOf: (path) => lengths.get(path) ?? Number.NaN,
    numberOf: (path) => values.get(path) ?? Number.NaN,
  };
}

function fits(rule: ArrayRule | undefined, type: ArrayType, length: number): boolean {
  if (rule === undefined || rule.type !== type) return false;
  if (rule.length !== undefined && rule.length !== length) return false;
  return rule.risesTo === undefined || (length > 0 && rule.risesTo >= 0);
}

/** Where some values of an array stand. */
export interface ValuesAround {
  /** Index of the first of them. */
  readonly from: number;
  /** Number of elements of the whole array. */
  readonly length: number;
  /** The element before them, if it is known. */
  readonly before?: number | undefined;
  /** The element behind them, if it is known. */
  readonly after?: number | undefined;
}

/** Whether some values of an array keep its rule. */
export function keepsRule({ below, risesTo }: ArrayRule, values: NumberArray, around: ValuesAround): boolean {
  if (values.length === 0) return true;
  if (below !== undefined && !areBelow(values, below)) return false;
  if (risesTo === undefined) return true;
  const { from, length, before = 0, after = risesTo } = around;
  if (from === 0 && values[0] !== 0) return false;
  const last = values[values.length - 1]!;
  if (from + values.length === length && last !== risesTo) return false;
  return values[0]! >= before && last <= after && areRising(values, risesTo);
}

/** Indexes are below this: the loops below work on signed numbers of 32 bits, in which greater ones are negative. */
const SIGNED = 2 ** 31;

function areBelow(values: NumberArray, below: number): boolean {
  if (values instanceof Uint32Array && below <= SIGNED) return areSignedBelow(signed(values), below);
  if (values instanceof Uint8Array && below <= SIGNED) return areBytesBelow(values, below);
  for (let i = 0; i < values.length; i++) if (!(values[i]! < below)) return false;
  return true;
}

/** Without a branch in the loop, so that it takes a third of the time of the checksum. */
function areSignedBelow(values: Int32Array, below: number): boolean {
  const greatest = (below - 1) | 0;
  let wrong = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    wrong |= value | (greatest - value);
  }
  return wrong >= 0;
}

function areBytesBelow(values: Uint8Array, below: number): boolean {
  const greatest = (below - 1) | 0;
  let wrong = 0;
  for (let i = 0; i < values.length; i++) wrong |= greatest - values[i]!;
  return wrong >= 0;
}

function areRising(values: NumberArray, last: number): boolean {
  if (values instanceof Uint32Array && last < SIGNED) return areSignedRising(signed(values));
  for (let i = 1; i < values.length; i++) if (!(values[i]! >= values[i - 1]!)) return false;
  return true;
}

function areSignedRising(values: Int32Array): boolean {
  let wrong = 0;
  let before = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    wrong |= value | (value - before);
    before = value;
  }
  return wrong >= 0;
}

function signed(values: Uint32Array): Int32Array {
  return new Int32Array(values.buffer, values.byteOffset, values.length);
}
