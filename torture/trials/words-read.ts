import { readWords } from '../../src/text/words.js';
import type { Trial, TrialContext } from '../trial.js';

/** Letters, digits, marks and joiners of several scripts, half of a surrogate pair, and what separates words. */
const PIECES = [
  'a',
  'Z',
  '7',
  'é',
  'e\u0301',
  'ß',
  'ı',
  '中',
  '文',
  'か',
  'ไ',
  'ع',
  '\u200d',
  '\ud83d',
  '\0',
  '-',
  '_',
  '.',
  '+',
  '#',
  "'",
  ' ',
];

export const WORDS_READ: Trial = {
  name: 'words-read',
  promise: 'Any text can be read as words, and reading it twice gives the same words.',
  run: async ({ random, until }: TrialContext) => {
    let attempts = 0;
    let longest = 0;
    do {
      const length = Math.floor(random() * 200);
      const text = Array.from({ length }, () => PIECES[Math.floor(random() * PIECES.length)]).join('');
      const words = [...readWords(text)];
      if (JSON.stringify([...readWords(text)]) !== JSON.stringify(words)) {
        throw new Error(`two readings differ: ${JSON.stringify(text)}`);
      }
      longest = Math.max(longest, words.length);
      attempts += 1;
    } while (performance.now() < until);
    return { attempts, facts: { 'most words': longest } };
  },
};
