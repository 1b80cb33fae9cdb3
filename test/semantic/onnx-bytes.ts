// The part of the ONNX format (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto) that a model of a few operations
// needs, as protocol buffers.

/** A field of bytes: a text, a message, or values. */
function bytes(field: number, content: string | Buffer): Buffer {
  const body = Buffer.from(content as string);
  return Buffer.concat([varint((field << 3) | 2), varint(body.length), body]);
}

function number(field: number, content: number): Buffer {
  return Buffer.concat([varint(field << 3), varint(content)]);
}

function varint(content: number): Buffer {
  const out: number[] = [];
  let rest = content;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) out.push((rest % 0x80) | 0x80);
  return Buffer.from([...out, rest]);
}

const ELEMENTS = { float: 1, int64: 7 } as const;
const [INT, INTS] = [2, 7];

/** An operation. Attributes are whole numbers, or lists of them. */
export function node(
  operation: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: Readonly<Record<string, number | readonly number[]>> = {},
): Buffer {
  return Buffer.concat([
    ...inputs.map((name) => bytes(1, name)),
    ...outputs.map((name) => bytes(2, name)),
    bytes(4, operation),
    ...Object.entries(attributes).map(([name, given]) =>
      bytes(
        5,
        typeof given === 'number'
          ? Buffer.concat([bytes(1, name), number(3, given), number(20, INT)])
          : Buffer.concat([bytes(1, name), ...given.map((one) => number(8, one)), number(20, INTS)]),
      ),
    ),
  ]);
}

/** A constant of 32-bit floats. */
export function tensor(name: string, dimensions: readonly number[], values: Buffer): Buffer {
  return Buffer.concat([
    ...dimensions.map((size) => number(1, size)),
    number(2, ELEMENTS.float),
    bytes(8, name),
    bytes(9, values),
  ]);
}

/** A constant of 32-bit floats whose values lie in a file beside the model. */
export function externalTensor(name: string, dimensions: readonly number[], file: string, length: number): Buffer {
  const entry = (key: string, content: string): Buffer => bytes(13, Buffer.concat([bytes(1, key), bytes(2, content)]));
  return Buffer.concat([
    ...dimensions.map((size) => number(1, size)),
    number(2, ELEMENTS.float),
    bytes(8, name),
    entry('location', file),
    entry('offset', '0'),
    entry('length', String(length)),
    number(14, 1),
  ]);
}

/** An input or output. A dimension without a fixed size has a name. */
export function value(name: string, elements: keyof typeof ELEMENTS, shape: readonly (string | number)[]): Buffer {
  const dimensions = shape.map((size) => bytes(1, typeof size === 'number' ? number(1, size) : bytes(2, size)));
  const type = Buffer.concat([number(1, ELEMENTS[elements]), bytes(2, Buffer.concat(dimensions))]);
  return Buffer.concat([bytes(1, name), bytes(2, bytes(1, type))]);
}

/** A whole model, as its file has it. */
export function model(
  nodes: readonly Buffer[],
  initializers: readonly Buffer[],
  inputs: readonly Buffer[],
  outputs: readonly Buffer[],
): Buffer {
  const graph = Buffer.concat([
    ...nodes.map((one) => bytes(1, one)),
    bytes(2, 'graph'),
    ...initializers.map((one) => bytes(5, one)),
    ...inputs.map((one) => bytes(11, one)),
    ...outputs.map((one) => bytes(12, one)),
  ]);
  return Buffer.concat([number(1, 8), bytes(7, graph), bytes(8, number(2, 13))]);
}
