import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonPiece, JsonSplitter } from '../../../src/sources/json/split-json.js';
import { JsonArray, JsonLines } from '../../../src/sources/json/split-json.js';

function split(splitter: JsonSplitter, bytes: Buffer, cuts: readonly number[]): JsonPiece[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const pieces: JsonPiece[] = [];
  let from = 0;
  for (const place of [...places, bytes.length]) {
    pieces.push(...splitter.push(bytes.subarray(from, place)));
    from = place;
  }
  pieces.push(...splitter.end());
  return pieces;
}

const parsed = (piece: JsonPiece): unknown => ('fault' in piece ? piece : JSON.parse(piece.bytes.toString()));
const told = (text: string, limit?: number): string[] =>
  split(new JsonArray(limit), Buffer.from(text), []).map((piece) =>
    'fault' in piece ? `${piece.line}: ${piece.fault}` : `${piece.line}= ${piece.bytes.toString().trim()}`,
  );

const cuts = fc.array(fc.nat(), { maxLength: 30 });
const hard = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', '\n', 'é', '🐝') }),
);

describe('JsonArray', () => {
  it('yields what JSON.parse would, however the bytes are cut and the array is laid out', () => {
    fc.assert(
      fc.property(fc.array(hard), fc.constantFrom(undefined, 1, 2, '\t'), cuts, (values, indent, places) => {
        const bytes = Buffer.from(`\n ${JSON.stringify(values, null, indent)} \n`);
        const pieces = split(new JsonArray(), bytes, places);
        expect(pieces.map(parsed)).toEqual(JSON.parse(bytes.toString()));
      }),
      { numRuns: 500 },
    );
  });

  it('says the same about any bytes, however they are cut', () => {
    const bytes = fc.array(fc.constantFrom(...'[]{}",:\\ \n1a')).map((all) => Buffer.from(`[${all.join('')}`));
    fc.assert(
      fc.property(bytes, cuts, (text, places) => {
        expect(split(new JsonArray(), text, places)).toEqual(split(new JsonArray(), text, []));
      }),
      { numRuns: 1000 },
    );
  });

  it('counts lines of elements from 1, also inside strings that are broken off', () => {
    expect(told('[{"a":1},\n\n {"a":2}, 3,\r\n4]')).toEqual(['1= {"a":1}', '3= {"a":2}', '3= 3', '4= 4']);
  });

  it('goes on after an element that is no JSON', () => {
    expect(told('[1, nope}, {"a": bad}, 2]')).toEqual(['1= 1', '1= nope}', '1= {"a": bad}', '1= 2']);
  });

  it.each([
    ['a string that is not closed', '{"a": "x},'],
    ['a bracket that is not closed', '{"a": {"b": 1},'],
    ['brackets that do not match', '{"a": [1}, "b": 2},'],
  ])('finds the next element at the beginning of a line after %s', (_, broken) => {
    const pieces = told(`[\n  {"id": 1},\n  ${broken}\n  {"id": 2},\n  {"id": 3}\n]`);
    expect(pieces.filter((piece) => piece.includes('='))).toEqual(['2= {"id": 1}', '4= {"id": 2}', '5= {"id": 3}']);
    expect(pieces.filter((piece) => !piece.includes('='))).toEqual([expect.stringMatching(/^3: not JSON: /)]);
  });

  it('tells of an array that is not closed, after what it held', () => {
    expect(told('[1, {"a":2}')).toEqual(['1= 1', '1= {"a":2}', '1: the array ends without a closing bracket']);
    expect(told('[1,\n{"a":')).toEqual(['1= 1', '2: the array ends without a closing bracket']);
  });

  it('tells once of text after the array', () => {
    expect(told('[1]\n[2, 3]')).toEqual(['1= 1', '2: text after the end of the array; what follows is not read']);
  });

  it('forgives a comma before the closing bracket and tells of any other comma without a value', () => {
    expect(told('[1,]')).toEqual(['1= 1']);
    expect(told('[1,,2]')).toEqual(['1= 1', '1: a comma without a value before it', '1= 2']);
  });

  it('skips an element over the limit and goes on', () => {
    expect(told(`[1, "${'x'.repeat(50)}", 2]`, 20)).toEqual(['1= 1', '1: the element is over 20 bytes', '1= 2']);
  });
});

describe('JsonLines', () => {
  it('yields the lines of a text with their numbers, however the bytes are cut', () => {
    const line = fc.oneof(
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc.constantFrom('', '  ', '\t'),
    );
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom('\n', '\r\n'), cuts, (lines, end, places) => {
        const pieces = split(new JsonLines(), Buffer.from(lines.join(end)), places);
        const expected = lines.flatMap((text, i) => (text.trim() === '' ? [] : [[i + 1, JSON.parse(text)]]));
        expect(pieces.map((piece) => [piece.line, parsed(piece)])).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('skips a line over the limit and keeps counting', () => {
    const pieces = split(new JsonLines(10), Buffer.from(`1\n"${'x'.repeat(40)}"\n3\n`), [5, 9, 30]);
    expect(pieces.map((piece) => ('fault' in piece ? piece : [piece.line, parsed(piece)]))).toEqual([
      [1, 1],
      { line: 2, fault: 'the line is over 10 bytes' },
      [3, 3],
    ]);
  });
});
