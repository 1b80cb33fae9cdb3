import { expect, test } from 'vitest';
import { trimWhiteSpace } from '../../src/core/index.js';

test('what is trimmed is what Unicode calls white space, for each character', () => {
  const wrong: string[] = [];
  for (let code = 0; code <= 0xffff; code++) {
    const character = String.fromCharCode(code);
    const expected = /\p{White_Space}/u.test(character) ? 'a' : `${character}a${character}`;
    if (trimWhiteSpace(`${character}a${character}`) !== expected) wrong.push(code.toString(16));
  }
  expect(wrong).toEqual([]);
});

test('white space inside a text stays', () => {
  expect(trimWhiteSpace('\u3000 a \t b\n')).toBe('a \t b');
});
