import { describe, expect, test } from 'vitest';
import { allPieces } from '../../src/core/index.js';
import { collectInTurns } from '../../src/keyword/build/collect-keywords.js';
import { type KeywordDocument, readQuestion } from '../../src/keyword/index.js';
import { sourceOf } from './arbitrary-catalogue.js';
import { documentOf, packed } from './build-indexes.js';

const find = (q: string, documents: readonly Partial<KeywordDocument>[]): number[] => [
  ...packed(documents.map(documentOf)).match(readQuestion(q)).documents,
];

describe('an index of packed lists', () => {
  test('counts a word that stands hundreds of times in a text', async () => {
    const many = 'kite '.repeat(700);
    const documents = [{ description: many }, { description: 'kite' }, { description: `${many} release notes` }];
    const index = packed(documents.map(documentOf));
    const weights = { name: 1, author: 1, labels: 1, description: 1, files: 1 };
    const { scoresOf } = allPieces(index.rank(readQuestion('kite'), { weights, limit: 3 }));
    const [first, second] = scoresOf(Uint32Array.of(0, 1)).map(({ fields }) => fields.description);
    expect(first).toBeGreaterThan(second as number);
    expect(find('"release notes"', documents)).toEqual([2]);
    expect(find('"kite release"', documents)).toEqual([2]);
  });

  test('finds phrases in words that are cut short and equal a compound that they are a part of', async () => {
    const long = 'x'.repeat(80);
    expect(find(`"x-${long} then"`, [{ description: `x-${long} then` }, { description: 'then' }])).toEqual([0]);
  });

  test('finds phrases far behind the first of a block of entries', async () => {
    const documents = Array.from({ length: 300 }, (_, i) => ({
      description: i % 7 === 3 ? 'write the release notes' : 'notes of a release with notes',
    }));
    const expected = [...documents.keys()].filter((i) => i % 7 === 3);
    expect(find('"release notes"', documents)).toEqual(expected);
  });

  test('keeps no memory for a long phrase in a long text', async () => {
    const files = [{ filename: 'SKILL.md', text: 'kite '.repeat(100_000) }];
    const index = packed([documentOf({ files })]);
    const before = process.memoryUsage().arrayBuffers;
    expect([...index.match(readQuestion(`"${'kite '.repeat(40)}"`)).documents]).toEqual([0]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(40e6);
  });

  test('finds a word of thousands of humps as a whole', async () => {
    const letters = [...'abcdefghijklmno'];
    const humps = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => `Q${a}${b}${c}`)));
    const word = humps.join('');
    // Longer words are cut.
    const whole = word.toLowerCase().slice(0, 64);
    expect(find(whole, [{ description: word }, { description: 'head' }])).toEqual([0]);
  });

  test('stops when the signal is aborted', async () => {
    const documents = sourceOf(Array.from({ length: 1500 }, () => documentOf({})));
    const reason = new Error('enough');
    await expect(collectInTurns(documents, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
