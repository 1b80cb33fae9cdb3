import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allPieces } from '../../src/core/index.js';
import {
  FIELD_WEIGHTS,
  type KeywordDocument,
  type KeywordIndex,
  type PackedIndex,
  readQuestion,
  Work,
} from '../../src/keyword/index.js';
import { catalogue, picks, questionFor, scoresOf, sourceOf } from './arbitrary-catalogue.js';
import { documentOf, INDEXES, packed } from './build-indexes.js';

function indexOf(documents: readonly Partial<KeywordDocument>[]): PackedIndex {
  return packed(documents.map(documentOf));
}

/** Units of work of a question that nothing bounds. */
function workOf(index: PackedIndex, q: string): number {
  const work = new Work();
  index.match(readQuestion(q), { scored: true, work });
  return work.spent;
}

const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

describe('the work of a costly question', () => {
  test('is that of one phrase where a phrase is asked twelve times', () => {
    const index = indexOf(many(300, (i) => ({ description: i % 3 === 0 ? 'a skill for kites' : 'for a skill' })));
    const once = workOf(index, '"for skill for"');
    expect(workOf(index, many(12, () => '"for skill for"').join(' '))).toBe(once);
  });

  test('does not look for each of many words of one beginning in each document', () => {
    const work = (size: number): number => {
      const documents = many(size, (i) => ({
        description: `for a skill for${i % (size / 2)}x`,
        files: [{ filename: 'SKILL.md', text: `a skill and formal${i}` }],
      }));
      return workOf(indexOf(documents), '"for skill for"');
    };
    // Twice the documents times twice the words would be four times the work.
    expect(work(1000) / work(500)).toBeLessThan(2.5);
  });

  test('is little more with accents that no text has than without', () => {
    const words = many(30, (i) => `wo${String.fromCharCode(97 + (i % 26))}e${i}`);
    const index = indexOf(many(500, () => ({ description: words.join(' ') })));
    const plain = workOf(index, words.join(' '));
    expect(workOf(index, words.join(' ').replaceAll('e', 'é'))).toBeLessThan(2 * plain);
  });

  test('of a misspelt word is to compare sets of letters, and few words letter by letter', () => {
    const letters = 'bcdfghjklmnpqrstvwxz';
    const words = many(8000, (i) =>
      many(4, (at) => `${letters[Math.floor(i / 20 ** at) % 20]}${'aeiou'[(i + at) % 5]}`).join(''),
    );
    const documents = many(80, (i) => ({ description: words.slice(i * 100, (i + 1) * 100).join(' ') }));
    const question = `${words[4321]!.slice(0, 4)}x${words[4321]!.slice(4)}`;
    // Comparing one letter of each word, and of each word that is left in the end all letters.
    expect(workOf(indexOf(documents), question)).toBeLessThan(15 * words.length);
  });

  test('of single characters of Chinese is not that of each of their pairs for each accent', () => {
    const characters = [...'数据分析自动化测试文件系统用户接口'];
    const documents = characters.map((a) => ({ description: characters.map((b) => a + b).join(' ') }));
    const pairs = characters.length ** 2;
    expect(workOf(indexOf(documents), characters.join(' '))).toBeLessThan(200 * pairs);
  });

  test('grows no further when a word is asked again', () => {
    const index = indexOf(many(200, () => ({ description: 'kite bobbin' })));
    expect(workOf(index, 'kite bobbin kite bobbin bobbin')).toBe(workOf(index, 'kite bobbin'));
  });
});

describe('a bound on the work of a question', () => {
  test.each(INDEXES)(
    'is kept by %s, and an answer that it cuts has nothing wrong, says so, and is the same each time',
    async (_, build) => {
      let cut = 0;
      const questions = fc.array(fc.tuple(picks, fc.nat(100), fc.boolean()), { minLength: 4, maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(catalogue, questions, async (documents, asked) => {
          // The second has nothing in its caches.
          const [index, other] = [await build(sourceOf(documents)), await build(sourceOf(documents))];
          for (const [wanted, percent, scored] of asked) {
            const question = readQuestion(questionFor(documents, wanted));
            const ask = (one: KeywordIndex, limit?: number) => {
              const work = new Work(limit);
              const matches = one.match(question, { scored, work });
              const { spent, truncated } = work;
              return {
                step: matches.step,
                documents: [...matches.documents],
                scores: scoresOf(matches),
                spent,
                truncated,
              };
            };
            const exact = ask(index);
            const limit = Math.floor((exact.spent * percent) / 80);
            const answer = ask(index, limit);
            expect(answer.spent).toBeLessThanOrEqual(limit);
            if (answer.truncated) cut += 1;
            else expect(answer).toEqual(exact);
            expect(exact.documents).toEqual(expect.arrayContaining(answer.documents));
            expect(ask(other, limit)).toEqual(answer);
          }
        }),
        { numRuns: 15 },
      );
      expect(cut).toBeGreaterThan(5);
    },
  );

  test('leaves the last documents out where phrases take too much, and the first in', () => {
    const documents = many(100, () => ({ description: 'for a skill for a kite '.repeat(20), name: 'x' }));
    const index = indexOf(documents);
    const work = new Work(workOf(index, '"a skill for"') / 2);
    const { documents: found } = index.match(readQuestion('"a skill for"'), { work });
    expect(found.length).toBeGreaterThan(5);
    expect(found.length).toBeLessThan(95);
    expect([...found]).toEqual(many(found.length, (i) => i));
    expect(work.truncated).toBe(true);
  });

  test('leaves the most frequent words out of a ranking by any word', () => {
    const documents = many(400, (i) => ({ description: `often ${i % 10 === 0 ? 'sometimes' : ''}` }));
    const index = indexOf(documents);
    const ranked = (q: string, work: Work): unknown => {
      const { highest, documents: best } = allPieces(
        index.rank(readQuestion(q), { weights: FIELD_WEIGHTS, limit: 5, work }),
      );
      return { highest, best: [...best] };
    };
    const bounded = new Work(400);
    expect(ranked('often sometimes', bounded)).toEqual(ranked('sometimes', new Work()));
    expect([bounded.truncated, bounded.spent <= 400]).toEqual([true, true]);
    const enough = new Work(1e6);
    expect(ranked('often sometimes', enough)).not.toEqual(ranked('sometimes', new Work()));
    expect(enough.truncated).toBe(false);
  });
});
