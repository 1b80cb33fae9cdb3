import { expect, test } from 'vitest';
import { keyOfNormalised } from '../../../src/core/text/keys.js';

test('a key keeps the letters, digits and signs of ASCII that it keeps of other texts', () => {
  const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join('');
  expect(keyOfNormalised(`${ascii}ß`)).toBe(`${keyOfNormalised(ascii)}ss`);
  expect(keyOfNormalised(ascii)).toBe('#+0123456789abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz');
});
