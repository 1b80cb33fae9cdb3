import { describe, expect, test } from 'vitest';
import type { Embedder } from '../../src/semantic/index.js';

const TEXTS = [
  'release-notes Writes release notes from the git log.',
  'pdf-forms Fills in PDF forms.',
  '',
  'sql-review Reviews SQL queries for missing indexes.',
  '会议纪要 把会议录音整理成纪要。',
  'word '.repeat(2000),
  'release-notes Writes release notes from the git log.',
];

/** What every {@link Embedder} promises. */
export function describeEmbedder(name: string, embedder: () => Embedder): void {
  describe(`the embedder ${name}`, () => {
    test('names its model', () => {
      expect(embedder().model).toMatch(/./);
    });

    test('gives a vector of unit length for each text, all of one length', async () => {
      const vectors = await embedder().embed(TEXTS);
      expect(vectors).toHaveLength(TEXTS.length);
      for (const vector of vectors) {
        expect(vector).toBeInstanceOf(Float32Array);
        expect(vector.length).toBe(vectors[0]?.length);
        expect(Math.hypot(...vector)).toBeCloseTo(1, 4);
      }
    });

    test('keeps the order of the texts, however many there are', async () => {
      const texts = Array.from(
        { length: 150 },
        (_, i) => `skill number ${i} about ${i % 7 === 0 ? 'birds' : 'tables'}`,
      );
      const together = await embedder().embed(texts);
      for (const i of [0, 1, 15, 16, 17, 77, 148, 149]) {
        expect(together[i]).toEqual((await embedder().embed([texts[i] as string]))[0]);
      }
    });

    test('gives a text the same vector whatever is asked beside it, before it and after it', async () => {
      const [alone] = await embedder().embed([TEXTS[0] as string]);
      const many = await embedder().embed(TEXTS);
      const reversed = await embedder().embed(TEXTS.toReversed());
      expect(many[0]).toEqual(alone);
      expect(many.at(-1)).toEqual(alone);
      expect(reversed.at(-1)).toEqual(alone);
      expect(many.toReversed()).toEqual(reversed);
    });

    test('answers calls made at the same moment, each with its own', async () => {
      const one = await Promise.all(TEXTS.map(async (text) => (await embedder().embed([text]))[0]));
      expect(one).toEqual(await embedder().embed(TEXTS));
    });

    test('reads a share from 0 to 1 of each question, the same each time', () => {
      for (const text of TEXTS) {
        const share = embedder().readableShare?.(text) ?? 1;
        expect(share).toBeGreaterThanOrEqual(0);
        expect(share).toBeLessThanOrEqual(1);
        expect(embedder().readableShare?.(text) ?? 1).toBe(share);
      }
    });

    test('takes texts that are not said to be questions for documents', async () => {
      const texts = TEXTS.slice(0, 2);
      expect(await embedder().embed(texts)).toEqual(await embedder().embed(texts, { purpose: 'document' }));
      const questions = await embedder().embed(texts, { purpose: 'question' });
      expect(questions.map(({ length }) => length)).toEqual(
        (await embedder().embed(texts)).map(({ length }) => length),
      );
    });

    test('gives nothing for no texts', async () => {
      expect(await embedder().embed([])).toEqual([]);
    });

    test('throws the reason of a signal that is aborted, before and during the call', async () => {
      const reason = new Error('enough');
      await expect(embedder().embed(TEXTS, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      const stop = new AbortController();
      const embedding = embedder().embed(
        Array.from({ length: 2000 }, (_, i) => `text ${i}`),
        { signal: stop.signal },
      );
      stop.abort(reason);
      await expect(embedding).rejects.toBe(reason);
      expect(await embedder().embed(['after that'])).toHaveLength(1);
    });
  });
}
