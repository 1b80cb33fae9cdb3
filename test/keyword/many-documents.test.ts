import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readQuestion } from '../../src/keyword/question.js';
import { scoresOf } from './arbitrary-catalogue.js';
import { packed } from './build-indexes.js';

const WORDS = ['alpha', 'alphas', 'álpha', 'beta', 'gamma', 'delta'];
const QUESTIONS = ['alpha', 'beta', 'álpha', 'alpha beta', 'alph', '"alpha beta"'];

test('of so many documents that not all are scored, the best are those of all scores', { timeout: 120_000 }, () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 30 }), fc.integer({ min: 2, max: 400 }), (seed, rarity) => {
      let state = seed;
      const next = (below: number): number => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
        return (state >>> 8) % below;
      };
      const text = (length: number): string => Array.from({ length }, () => WORDS[next(WORDS.length)]).join(' ');
      const documents = Array.from({ length: 2500 }, () => ({
        name: next(rarity) === 0 ? text(1 + next(3)) : `other-${next(9)}`,
        author: next(9) === 0 ? 'beta' : 'x',
        labels: next(5) === 0 ? [text(1)] : [],
        description: `${text(2 + next(8))} alpha beta`,
        files: [],
      }));
      const index = packed(documents);
      for (const q of QUESTIONS) {
        const matches = index.match(readQuestion(q), { scored: true });
        const all = scoresOf(matches)!;
        const isShown = (document: number): boolean => document % 5 !== seed % 5;
        const sorted = [...all.keys()]
          .filter((i) => isShown(matches.documents[i]!))
          .sort((a, b) => all[b]! - all[a]! || a - b);
        for (const count of [1, 20, 300]) {
          const least = all[sorted[count - 1]!]!;
          const found = matches.best!({ count, isShown });
          const best = [...found.documents.keys()]
            .filter((i) => found.scores[i]! >= least)
            .sort((a, b) => found.scores[b]! - found.scores[a]! || a - b);
          const expected = sorted.filter((i) => all[i]! >= least);
          expect([q, count, best.map((i) => [found.documents[i], found.scores[i]])]).toEqual([
            q,
            count,
            expected.map((i) => [matches.documents[i], all[i]]),
          ]);
          expect([...found.documents].every(isShown)).toBe(true);
        }
      }
    }),
    { numRuns: 12 },
  );
});
