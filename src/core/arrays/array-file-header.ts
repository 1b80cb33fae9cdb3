import { endianness } from 'node:os';
import { crc32 } from 'node:zlib';
import { orUndefined } from '../errors.js';

/**
 * Layout of an array file, all numbers little-endian:
 *
 *     0   magic, 8 bytes
 *     8   format version, uint32
 *     12  length of the header, uint32
 *     16  header: JSON, then blanks, so that the arrays begin at a multiple of 8
 *         CRC-32 of every block of the arrays, uint32 each
 *         CRC-32 of everything before, uint32
 *         the arrays that the header lists, each followed by zeros up to a multiple of 8
 */
const MAGIC = 'SKILARRY';
/** Raise it also if the arrays that are written get another meaning. */
const VERSION = 6;
/** Bytes before the header. */
const HEAD_BYTES = 16;

/** Most bytes of a header: many times what one needs. More would be a made-up file, which could ask for any memory. */
const MAX_HEADER_BYTES = 1 << 20;

/** Bytes of the arrays that share a checksum and are read together. */
export const BLOCK_BYTES: number = 1 << 16;

/** What an array file holds, and what it was made from. A reader rejects a file that differs from what it expects. */
export interface ArrayFileIdentity {
  /** What the file holds. */
  readonly kind: 'keywords' | 'vectors';
  /** What the arrays were made from, and by which rules: the stamp of a state, the id of a model, a version. */
  readonly origin: Readonly<Record<string, string | number>>;
}

/** An array of the file. */
export interface Section {
  /** Its path in the tree: `postings.documents`. */
  readonly path: string;
  readonly type: ArrayType;
  /** In elements. */
  readonly length: number;
}

/** The header of an array file. */
export interface ArrayFileHeader extends ArrayFileIdentity {
  /** The single numbers of the tree. */
  readonly numbers: readonly Leaf<number>[];
  readonly sections: readonly Section[];
}

/** A header that was read from a file and checked. */
export interface ReadHeader extends ArrayFileHeader {
  /** CRC-32 of each block. */
  readonly checksums: Uint32Array;
  /** Offset of the first array in the file. */
  readonly dataStart: number;
  /** Bytes of all arrays together, with the zeros between them. */
  readonly dataBytes: number;
}

/** Bytes of a section, with the zeros behind it. */
export function bytesOfSection({ type, length }: Section): number {
  const bytes = length * ARRAY_TYPES[type].BYTES_PER_ELEMENT;
  return bytes + paddingTo8(bytes);
}

/** Everything before the arrays. */
export function encodeHeader(header: ArrayFileHeader, checksums: Uint32Array): Buffer {
  const json = Buffer.from(JSON.stringify(header));
  const checksumBytes = checksums.byteLength + 4;
  const headerBytes = json.length + paddingTo8(HEAD_BYTES + json.length + checksumBytes);
  const checksumStart = HEAD_BYTES + headerBytes;
  const bytes = Buffer.alloc(checksumStart + checksumBytes, ' ');
  bytes.write(MAGIC, 0, 'latin1');
  bytes.writeUInt32LE(VERSION, 8);
  bytes.writeUInt32LE(headerBytes, 12);
  json.copy(bytes, HEAD_BYTES);
  for (const [block, checksum] of checksums.entries()) bytes.writeUInt32LE(checksum, checksumStart + block * 4);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
  return bytes;
}

/**
 * Reads and checks everything before the arrays.
 *
 * @param read gives the bytes of the file between two offsets, fewer if the file ends before
 * @param fileBytes size of the file
 * @returns undefined if the file is damaged, cut off or has another version
 */
export function decodeHeader(read: (from: number, to: number) => Buffer, fileBytes: number): ReadHeader | undefined {
  const head = read(0, HEAD_BYTES);
  if (head.length < HEAD_BYTES || head.toString('latin1', 0, 8) !== MAGIC || head.readUInt32LE(8) !== VERSION) {
    return undefined;
  }
  const headerEnd = HEAD_BYTES + head.readUInt32LE(12);
  if (headerEnd > Math.min(fileBytes, HEAD_BYTES + MAX_HEADER_BYTES)) return undefined;
  const json = read(HEAD_BYTES, headerEnd);
  const header = parseHeader(json.toString());
  if (header === undefined) return undefined;
  const dataBytes = header.sections.reduce((sum, section) => sum + bytesOfSection(section), 0);
  const blockCount = Math.ceil(dataBytes / BLOCK_BYTES);
  const dataStart = headerEnd + blockCount * 4 + 4;
  if (dataStart + dataBytes !== fileBytes) return undefined;
  const sums = read(headerEnd, dataStart);
  if (crc32(sums.subarray(0, -4), crc32(json, crc32(head))) !== sums.readUInt32LE(sums.length - 4)) return undefined;
  const checksums = Uint32Array.from({ length: blockCount }, (_, block) => sums.readUInt32LE(block * 4));
  return { ...header, checksums, dataStart, dataBytes };
}

/** Whether a file has the kind and the origin that a reader expects. Its origin may say more than that. */
export function hasIdentity(header: ArrayFileIdentity, { kind, origin }: ArrayFileIdentity): boolean {
  return header.kind === kind && Object.entries(origin).every(([name, value]) => header.origin[name] === value);
}

/** Damaged text may be no JSON, or JSON of another shape. */
function parseHeader(text: string): ArrayFileHeader | undefined {
  return orUndefined(() => {
    const header = JSON.parse(text) as ArrayFileHeader;
    const { origin, numbers, sections } = header;
    const isSection = ({ path, type, length }: Section): boolean =>
      isPath(path) && Object.hasOwn(ARRAY_TYPES, type) && Number.isSafeInteger(length) && length >= 0;
    const isNumber = ({ path, value }: Leaf<number>): boolean => isPath(path) && typeof value === 'number';
    const isHeader = typeof origin === 'object' && numbers.every(isNumber) && sections.every(isSection);
    return isHeader ? header : undefined;
  });
}

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
export function hasStatedShape({ sections, numbers }: ReadHeader, rulesOf: RulesOf | undefined): boolean {
  if (rulesOf === undefined) return true;
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

/** An array that an array file can hold. */
export type NumberArray = Int8Array | Uint8Array | Uint32Array | Float32Array | Float64Array;

/** Name of a type of these arrays. */
export type ArrayType = 'Int8Array' | 'Uint8Array' | 'Uint32Array' | 'Float32Array' | 'Float64Array';

interface ArrayConstructor {
  readonly BYTES_PER_ELEMENT: number;
  new (memory: ArrayBufferLike, byteOffset: number, length: number): NumberArray;
}

const ARRAY_TYPES: Record<ArrayType, ArrayConstructor> = {
  Int8Array,
  Uint8Array,
  Uint32Array,
  Float32Array,
  Float64Array,
};

/** Arrays and single numbers by name, in objects that may be nested. */
export interface ArrayTree {
  readonly [name: string]: NumberArray | number | ArrayTree;
}

/** A value of a tree, with its path: `postings.documents`. */
export interface Leaf<Value> {
  readonly path: string;
  readonly value: Value;
}

/** Whether a text can be the path of a leaf. A path of a made-up file, `__proto__.x`, must not reach a prototype. */
function isPath(text: unknown): text is string {
  return typeof text === 'string' && /^[a-z]\w*(?:\.[a-z]\w*)*$/i.test(text);
}

/** All arrays of a tree, in the order of its properties. */
export function arraysOf(tree: object): Leaf<NumberArray>[] {
  return leavesOf(tree, '').filter((leaf): leaf is Leaf<NumberArray> => ArrayBuffer.isView(leaf.value));
}

/**
 * The memory of all arrays of a tree, to transfer it to another thread. No array outside the tree may use this memory,
 * and none of it may be shared.
 */
export function memoryOf(tree: object): ArrayBuffer[] {
  return [...new Set(arraysOf(tree).map(({ value }) => value.buffer as ArrayBuffer))];
}

/** All single numbers of a tree. */
export function numbersOf(tree: object): Leaf<number>[] {
  return leavesOf(tree, '').filter((leaf): leaf is Leaf<number> => typeof leaf.value === 'number');
}

/** Builds the tree that has these leaves. */
export function treeOf(leaves: readonly Leaf<NumberArray | number>[]): ArrayTree {
  // Plain objects: looking a property up in one without a prototype takes much longer.
  const tree: Record<string, unknown> = {};
  for (const { path, value } of leaves) {
    const names = path.split('.');
    const last = names.pop()!;
    let owner = tree;
    for (const name of names) {
      if (!Object.hasOwn(owner, name)) owner[name] = {};
      owner = owner[name] as Record<string, unknown>;
    }
    owner[last] = value;
  }
  return tree as ArrayTree;
}

/** The type of an array. A `Buffer` is a `Uint8Array`. */
export function arrayTypeOf(array: NumberArray): ArrayType {
  return array[Symbol.toStringTag];
}

/** An array over a part of some memory. */
export function arrayOver(type: ArrayType, memory: ArrayBufferLike, byteOffset: number, length: number): NumberArray {
  return new ARRAY_TYPES[type](memory, byteOffset, length);
}

function leavesOf(tree: object, prefix: string): Leaf<unknown>[] {
  return Object.entries(tree).flatMap(([name, value]): Leaf<unknown>[] => {
    const path = prefix + name;
    const isSubtree = typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
    return isSubtree ? leavesOf(value, `${path}.`) : [{ path, value }];
  });
}

/** Whether this machine stores numbers with the lowest byte first. Files hold them in that order. */
export const LITTLE_ENDIAN: boolean = endianness() === 'LE';

/** Number of bytes from an offset up to the next multiple of 8. */
export function paddingTo8(offset: number): number {
  return (8 - (offset % 8)) % 8;
}
