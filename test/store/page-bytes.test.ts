import { expect, test } from 'vitest';
import { PAGE_BYTES, pageBytesFor, SMALL_PAGE_BYTES } from '../../src/store/database.js';

const MEBIBYTE = 2 ** 20;

test('a catalogue has small pages up to a mebibyte', () => {
  expect(pageBytesFor(MEBIBYTE, PAGE_BYTES)).toBe(SMALL_PAGE_BYTES);
  expect(pageBytesFor(MEBIBYTE + 1, PAGE_BYTES)).toBe(PAGE_BYTES);
});

test('it keeps small pages up to four mebibytes, so that a size about the bound is not written anew each time', () => {
  expect(pageBytesFor(4 * MEBIBYTE, SMALL_PAGE_BYTES)).toBe(SMALL_PAGE_BYTES);
  expect(pageBytesFor(4 * MEBIBYTE + 1, SMALL_PAGE_BYTES)).toBe(PAGE_BYTES);
});
