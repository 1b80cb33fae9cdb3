/** The kinds of arrays that a file of arrays can hold. */
export type NumberArray = Uint8Array | Uint32Array | Float64Array;

/** Arrays and single numbers, by name, in objects that may hold such objects. */
export interface ArrayTree {
  readonly [name: string]: NumberArray | number | ArrayTree;
}

/** A place in a tree: `postings.documents`. */
export interface Leaf<Value> {
  readonly path: string;
  readonly value: Value;
}

/** All arrays of a tree, in the order of their names in it. */
export function arraysOf(tree: object): Leaf<NumberArray>[] {
  return leavesOf(tree, '').filter((leaf): leaf is Leaf<NumberArray> => ArrayBuffer.isView(leaf.value));
}

/** The memory of all arrays, for moving them to another thread: each has its own, or shares it with none that stays. */
export function memoryOf(tree: object): ArrayBuffer[] {
  return [...new Set(arraysOf(tree).map(({ value }) => value.buffer as ArrayBuffer))];
}

/** All single numbers of a tree. */
export function numbersOf(tree: object): Leaf<number>[] {
  return leavesOf(tree, '').filter((leaf): leaf is Leaf<number> => typeof leaf.value === 'number');
}

/** The tree that leaves come from. */
export function treeOf(leaves: readonly Leaf<NumberArray | number>[]): ArrayTree {
  const tree: Record<string, unknown> = {};
  for (const { path, value } of leaves) {
    const names = path.split('.');
    const last = names.pop() as string;
    let owner = tree;
    for (const name of names) {
      owner[name] ??= {};
      owner = owner[name] as Record<string, unknown>;
    }
    owner[last] = value;
  }
  return tree as ArrayTree;
}

function leavesOf(tree: object, prefix: string): Leaf<unknown>[] {
  return Object.entries(tree).flatMap(([name, value]): Leaf<unknown>[] => {
    const path = prefix + name;
    const inner = typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
    return inner ? leavesOf(value, `${path}.`) : [{ path, value }];
  });
}
