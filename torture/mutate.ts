import { oneOf, randomInteger } from './trial.js';

/** Pieces that mean something to a reader of front matter, Markdown, JSON, UTF-8, UTF-16 or gzip. */
const PIECES: readonly Buffer[] = [
  '---\n',
  '...\n',
  '```yaml\n',
  '~~~\n',
  '<!--',
  '-->',
  '# ',
  '## name: ',
  'name: ',
  'description: >-\n  ',
  'tags: [',
  '? ',
  '- ',
  ': ',
  '&a ',
  '*a',
  '<<: *a\n',
  '!!binary ',
  '!<tag:x> ',
  '%YAML 1.1\n',
  '|2+\n',
  '"',
  "'",
  '\\u0000',
  '\\ud800',
  '{',
  '}',
  '[',
  ']',
  ',',
  '{"name":"n","description":"d"}\n',
  '"files":[{"filename":"../x","text":""}],',
  '"id":null,',
  '"updatedAt":1e400,',
  '"stars":-1,',
  '__proto__: x\n',
  'constructor: y\n',
  '----------b\nContent-Type: x\n\n',
  '\r\n',
  '\r',
  '\n\n',
  '\t',
  ' '.repeat(40),
  '\0',
  '\ufeff',
  '\u2028',
  '\u202e',
  'é',
  '中文',
  '\u{1f41d}',
  'a'.repeat(5000),
  '[{'.repeat(300),
  ','.repeat(300),
]
  .map((text) => Buffer.from(text))
  .concat([
    Buffer.from([0xff, 0xfe]),
    Buffer.from([0xfe, 0xff]),
    Buffer.from([0xc3, 0x28]),
    Buffer.from([0xed, 0xa0, 0x80]),
    Buffer.from([0x1f, 0x8b, 0x08]),
  ]);

/** Largest result, in bytes: an attempt must stay quick. */
const MOST_BYTES = 256 * 1024;

/** Changes some bytes of a file: one to eight changes, each with another file at hand to take parts from. */
export function mutate(random: () => number, file: Buffer, other: Buffer): Buffer {
  let bytes = file;
  for (let left = 1 + randomInteger(random, 8); left > 0; left--) {
    bytes = oneOf(random, CHANGES)(random, bytes, other).subarray(0, MOST_BYTES);
  }
  return bytes;
}

type Change = (random: () => number, bytes: Buffer, other: Buffer) => Buffer;

const CHANGES: readonly Change[] = [
  // A byte becomes another.
  (random, bytes) => {
    if (bytes.length === 0) return bytes;
    const changed = Buffer.from(bytes);
    changed[randomInteger(random, bytes.length)] = randomInteger(random, 256);
    return changed;
  },
  // A part goes.
  (random, bytes) => {
    const [from, to] = range(random, bytes);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
  },
  // A part comes again.
  (random, bytes) => {
    const [from, to] = range(random, bytes);
    return insert(random, bytes, bytes.subarray(from, to));
  },
  // A part of another file comes in.
  (random, bytes, other) => insert(random, bytes, other.subarray(...range(random, other))),
  // The end is that of another file.
  (random, bytes, other) =>
    Buffer.concat([
      bytes.subarray(0, randomInteger(random, bytes.length + 1)),
      other.subarray(randomInteger(random, other.length + 1)),
    ]),
  (random, bytes) => insert(random, bytes, oneOf(random, PIECES)),
  (random, bytes) => insert(random, bytes, oneOf(random, PIECES)),
  (random, bytes) => Buffer.concat([oneOf(random, PIECES), bytes]),
  // It ends too early.
  (random, bytes) => bytes.subarray(0, randomInteger(random, bytes.length + 1)),
  // Lines end otherwise, or are lost.
  (random, bytes) =>
    Buffer.from(bytes.toString('latin1').replaceAll('\n', oneOf(random, ['\r\n', '\r', ' '])), 'latin1'),
];

function insert(random: () => number, bytes: Buffer, piece: Buffer): Buffer {
  const at = randomInteger(random, bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
}

function range(random: () => number, bytes: Buffer): [from: number, to: number] {
  const from = randomInteger(random, bytes.length + 1);
  return [from, Math.min(bytes.length, from + randomInteger(random, 200))];
}
