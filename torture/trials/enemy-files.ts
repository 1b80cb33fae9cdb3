import {
  type ArrayTree,
  arrayOver,
  arrayTypeOf,
  type NumberArray,
  numbersOf,
  treeOf,
} from '../../src/core/arrays/array-file-header.js';
import { arraysOf } from '../../src/core/index.js';
import { ChildProgram } from '../child-program.js';
import type { EnemyAnswer } from '../programs/enemy-reader.js';
import { oneOf, randomInteger, type Trial } from '../trial.js';

export const ENEMY_FILES: Trial = {
  name: 'enemy-files',
  promise:
    'Derived files that somebody made up, with right checksums, give an answer or a coded error: no crash, no endless loop, no read outside, no memory without bound.',
  begin: async ({ random, folder }) => {
    const child = new ChildProgram('enemy-reader', [folder]);
    const facts = { answers: 0, 'coded errors': 0 };
    const attempt = async (): Promise<undefined> => {
      const seed = randomInteger(random, 2 ** 32);
      const answer = await child.ask<EnemyAnswer>(seed).catch((cause: Error) => {
        throw new Error(`files of the seed ${seed}: ${cause.message}`, { cause });
      });
      if (answer.broken !== undefined) throw new Error(`files of the seed ${seed}, ${answer.done}: ${answer.broken}`);
      facts.answers += answer.answers;
      facts['coded errors'] += answer.errors;
    };
    return { facts, attempt, end: () => child.end() };
  },
};

/**
 * Changes the file of a graph: links, labels, levels, sizes, its end.
 *
 * @returns the bytes, and what was done
 */
export function spoilGraph(file: Buffer, random: () => number): { bytes: Buffer; done: string } {
  const bytes = Buffer.from(file);
  const count = Number(bytes.readBigUInt64LE(16));
  const elementBytes = Number(bytes.readBigUInt64LE(24));
  const levels = 96 + count * elementBytes;
  const odd = (): number =>
    oneOf(random, [0, 1, count, count + 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, randomInteger(random, 2 ** 32)]);
  const where = oneOf(random, ['header', 'links', 'labels', 'levels', 'levels', 'end']);
  const times = 1 + randomInteger(random, 4);
  for (let i = 0; i < times; i++) {
    const element = 96 + randomInteger(random, count) * elementBytes;
    if (where === 'header') bytes.writeUInt32LE(odd(), randomInteger(random, 24) * 4);
    else if (where === 'links') bytes.writeUInt32LE(odd(), element + randomInteger(random, 10) * 4);
    else if (where === 'labels') bytes.writeUInt32LE(odd(), element + elementBytes - oneOf(random, [4, 8]));
    else if (where === 'levels') {
      bytes.writeUInt32LE(odd(), levels + 4 * randomInteger(random, Math.floor((bytes.length - levels) / 4)));
    }
  }
  if (where !== 'end') return { bytes, done: `graph: ${where}` };
  const cut = randomInteger(random, bytes.length);
  const changed = oneOf(random, [bytes.subarray(0, cut), Buffer.concat([bytes, bytes.subarray(0, cut)])]);
  return { bytes: changed, done: `graph: ${where} at ${cut}` };
}

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
