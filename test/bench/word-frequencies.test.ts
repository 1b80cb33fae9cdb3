import { expect, test } from 'vitest';
import { wordsByFrequency } from '../../bench/word-frequencies.js';

test('the word of most texts comes first, however often one text has it', () => {
  expect(wordsByFrequency(['alpha alpha alpha beta', 'Beta gamma', 'an abc'])).toEqual(['beta', 'alpha', 'gamma']);
});
