import {
  type ArrayTree,
  arrayOver,
  arrayTypeOf,
  type NumberArray,
  numbersOf,
  treeOf,
} from '../../src/core/arrays/array-file-header.js';
import { arraysOf } from '../../src/core/index.js';
import { oneOf, randomInteger } from '../random.js';

/**
 * Makes a tree of arrays whose values make no sense: indexes beyond what they point into, falling where they should
 * rise, huge, not a number; arrays that are too short, too long, of another type, or missing.
 *
 * @returns the tree, and what was done
 */
export function spoilArrays(tree: object, random: () => number): { tree: ArrayTree; done: string } {
  const leaves: { path: string; value: NumberArray | number }[] = [...numbersOf(tree), ...arraysOf(tree)].map(
    (leaf) => ({
      ...leaf,
    }),
  );
  const done: string[] = [];
  for (let left = 1 + randomInteger(random, 3); left > 0; left--) {
    const leaf = oneOf(random, leaves);
    const how = typeof leaf.value === 'number' ? 'number' : oneOf(random, Object.keys(WAYS));
    done.push(`${leaf.path} ${how}`);
    leaf.value = typeof leaf.value === 'number' ? oddNumber(random) : WAYS[how]!(leaf.value.slice(), random);
    if (randomInteger(random, 200) === 0) leaves.splice(leaves.indexOf(leaf), 1);
  }
  return { tree: treeOf(leaves), done: done.join(', ') };
}

function oddNumber(random: () => number): number {
  return oneOf(random, [0, 1, -1, 0.5, 2 ** 31, 2 ** 32 - 1, 2 ** 53, 1e300, randomInteger(random, 1000)]);
}

function oddValue(array: NumberArray, random: () => number): number {
  if (array instanceof Uint32Array) {
    return oneOf(random, [0, 1, 2 ** 31, 2 ** 32 - 1, array.length, array.length * 4, randomInteger(random, 2 ** 32)]);
  }
  if (array instanceof Float32Array || array instanceof Float64Array) {
    return oneOf(random, [Number.NaN, Number.POSITIVE_INFINITY, -1, 0, 2 ** 53, 0.5, 1e300]);
  }
  return randomInteger(random, 256);
}

const WAYS: Readonly<Record<string, (array: NumberArray, random: () => number) => NumberArray>> = {
  values: (array, random) => {
    for (let left = 1 + randomInteger(random, 20); left > 0; left--) {
      array[randomInteger(random, array.length)] = oddValue(array, random);
    }
    return array;
  },
  filled: (array, random) => array.fill(oddValue(array, random)),
  'near values': (array, random) => {
    const from = randomInteger(random, array.length);
    for (let i = from; i < Math.min(array.length, from + 50); i++) array[i] = array[i]! + randomInteger(random, 9) - 4;
    return array;
  },
  swapped: (array, random) => {
    for (let left = 1 + randomInteger(random, 50); left > 0; left--) {
      const [a, b] = [randomInteger(random, array.length), randomInteger(random, array.length)];
      [array[a], array[b]] = [array[b]!, array[a]!];
    }
    return array;
  },
  reversed: (array) => array.reverse(),
  'high bits': (array) => {
    // Numbers of several bytes go on as long as the highest bit is set.
    for (let i = 0; i < array.length; i++) array[i] = array[i]! | 0x80;
    return array;
  },
  'high bits at the end': (array) => {
    for (let i = Math.max(0, array.length - 40); i < array.length; i++) array[i] = 0xff;
    return array;
  },
  shorter: (array, random) => array.slice(0, randomInteger(random, array.length + 1)),
  longer: (array, random) => {
    const bytes = array.BYTES_PER_ELEMENT;
    const length = array.length + 1 + randomInteger(random, 1000);
    const longer = arrayOver(arrayTypeOf(array), new ArrayBuffer(length * bytes), 0, length);
    longer.set(array as never);
    return longer;
  },
  'of another type': (array) => (array instanceof Uint8Array ? Uint32Array.from(array) : Uint8Array.from(array)),
};
