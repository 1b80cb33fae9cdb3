import { describe, expect, test } from 'vitest';
import { typedWord } from '../../../src/core/index.js';

describe('the word that somebody is typing', () => {
  test.each([
    ['git wor', 'git ', 'wor'],
    ['W', '', 'w'],
    ['react-Tes', 'react-', 'tes'],
    ['node.j', 'node.', 'j'],
    ['say "git wor', 'say "git ', 'wor'],
    ['ÉCO', '', 'éco'],
    ['ﬁle', '', 'file'],
    ['数据abc', '数据', 'abc'],
    ["'quoted", "'", 'quoted'],
  ])('of %j stands behind %j', (text, before, letters) => {
    expect(typedWord(text)).toEqual({ before, letters });
  });

  test.each(['', ' ', 'git ', 'git,', 'c++', '"git"', "don't", 'don’t', '数据', 'テスト', '!?'])(
    'is none in %j',
    (text) => {
      expect(typedWord(text)).toBeUndefined();
    },
  );
});
