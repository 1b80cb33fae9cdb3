import { oneOf, randomInteger } from '../random.js';

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
