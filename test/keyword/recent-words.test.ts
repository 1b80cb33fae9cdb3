import { expect, test } from 'vitest';
import { RecentWords } from '../../src/keyword/recent-words.js';

test('reads a word again only when so many others were asked for since', () => {
  const words = new RecentWords(2, 10);
  const read: string[] = [];
  const ask = (key: string): void => {
    words.get(key, () => {
      read.push(key);
      return { terms: new Set([key]), documents: 1, byField: [], joined: 0 };
    });
  };
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) ask(key);
  expect(read).toEqual(['a', 'b', 'c', 'b']);
});

test('gives the word that was read', () => {
  const words = new RecentWords(1, 10);
  const word = { terms: new Set<string>(), documents: 0, byField: [], joined: 0 };
  expect(words.get('a', () => word)).toBe(word);
  expect(words.get('a', () => ({ ...word }))).toBe(word);
});

test('forgets words whose joined postings come to too much, the one asked for first', () => {
  const words = new RecentWords(100, 10);
  const read: string[] = [];
  const ask = (key: string, joined: number): void => {
    words.get(key, () => {
      read.push(key);
      return { terms: new Set([key]), documents: 1, byField: [], joined };
    });
  };
  ask('a', 6);
  ask('b', 4);
  ask('a', 6);
  ask('c', 3);
  ask('a', 6);
  ask('b', 4);
  ask('huge', 11);
  ask('huge', 11);
  expect(read).toEqual(['a', 'b', 'c', 'b', 'huge', 'huge']);
});
