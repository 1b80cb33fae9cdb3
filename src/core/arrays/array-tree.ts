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
export function isPath(text: unknown): text is string {
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

export function isArrayType(name: string): name is ArrayType {
  return Object.hasOwn(ARRAY_TYPES, name);
}

export function bytesPerElement(type: ArrayType): number {
  return ARRAY_TYPES[type].BYTES_PER_ELEMENT;
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
