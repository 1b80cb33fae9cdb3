import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allPieces } from '../../src/core/index.js';
import {
  FIELD_WEIGHTS,
  type KeywordDocument,
  type PackedIndex,
  QUESTION_WORK,
  QUESTION_WORK_PER_SKILL,
  readQuestion,
  Work,
} from '../../src/keyword/index.js';
import { catalogue, picks, questionFor, scoresOf } from './arbitrary-catalogue.js';
import { documentOf, packed } from './build-indexes.js';

describe('question work', () => {
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
    const bound = fc.tuple(fc.nat(100), fc.boolean());

    test('is kept, and an answer that it cuts has nothing wrong, says so, and is the same each time', () => {
      let cut = 0;
      fc.assert(
        fc.property(catalogue, fc.array(fc.tuple(picks, bound), { minLength: 4, maxLength: 4 }), (documents, asked) => {
          const index = packed(documents);
          // It has nothing in its caches.
          const other = packed(documents);
          for (const [wanted, [percent, scored]] of asked) {
            const text = questionFor(documents, wanted);
            const question = readQuestion(text);
            const unbounded = new Work();
            const exact = index.match(question, { scored, work: unbounded });
            const work = new Work(Math.floor((unbounded.spent * percent) / 80));
            const answer = index.match(question, { scored, work });
            expect(work.spent).toBeLessThanOrEqual(work.limit);

            if (work.truncated) cut += 1;
            else {
              expect([text, answer.step, [...answer.documents], scoresOf(answer)]).toEqual([
                text,
                exact.step,
                [...exact.documents],
                scoresOf(exact),
              ]);
            }
            expect([text, [...exact.documents]]).toEqual([text, expect.arrayContaining([...answer.documents])]);
            expect(answer.documents.length).toBeLessThanOrEqual(exact.documents.length);

            const again = new Work(work.limit);
            const same = other.match(question, { scored, work: again });
            expect([text, same.step, [...same.documents], scoresOf(same), again.spent, again.truncated]).toEqual([
              text,
              answer.step,
              [...answer.documents],
              scoresOf(answer),
              work.spent,
              work.truncated,
            ]);
          }
        }),
        { numRuns: 150 },
      );
      expect(cut).toBeGreaterThan(50);
    });

    test('that all of the work keeps to changes nothing', () => {
      fc.assert(
        fc.property(catalogue, picks, (documents, wanted) => {
          const index = indexOf(documents);
          const question = readQuestion(questionFor(documents, wanted));
          const unbounded = new Work();
          const exact = index.match(question, { scored: false, work: unbounded });
          const work = new Work(unbounded.spent);
          expect([...index.match(question, { scored: false, work }).documents]).toEqual([...exact.documents]);
          expect(work.truncated).toBe(false);
        }),
        { numRuns: 100 },
      );
    });

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
});

describe('work', () => {
  describe('the work of a question', () => {
    test('is spent up to its limit, and one unit more is refused and told', () => {
      const work = new Work(10);
      expect([work.affords(10), work.spent, work.left, work.truncated]).toEqual([true, 10, 0, false]);
      expect([work.affords(1), work.spent, work.truncated]).toEqual([false, 10, true]);
    });

    test('is not truncated where only a saving of work is refused', () => {
      const work = new Work(10);
      expect([work.saves(11), work.spent, work.truncated]).toEqual([false, 0, false]);
      expect([work.saves(4), work.spent, work.truncated]).toEqual([true, 4, false]);
    });

    test('can be kept for later', () => {
      const work = new Work(10);
      work.hold(0.2);
      expect([work.left, work.saves(9)]).toEqual([8, false]);
      work.hold(0);
      expect([work.left, work.saves(9)]).toEqual([10, true]);
    });

    test('has no limit unless one is given', () => {
      const work = new Work();
      work.hold(0.2);
      work.hold(0);
      expect([work.affords(1e15), work.truncated, work.left]).toEqual([true, false, Number.POSITIVE_INFINITY]);
    });

    test('has a limit that grows with the catalogue from 100,000 skills on', () => {
      expect([1, 100_000, 100_001].map((skills) => Work.forQuestion(skills).limit)).toEqual([
        QUESTION_WORK,
        QUESTION_WORK,
        QUESTION_WORK + QUESTION_WORK_PER_SKILL,
      ]);
    });
  });
});
