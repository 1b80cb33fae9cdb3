import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_KEYWORD_QUERY_LENGTH, MAX_SEMANTIC_QUERY_LENGTH, readTime } from '../../src/core/index.js';
import { readKeywordQuery } from '../../src/http/read-query.js';
import {
  letterOrDigit,
  NOT_BLANK,
  SLUG,
  TIME_OR_SECONDS,
  unreadable,
  WITHOUT_NUL,
} from '../../src/http/text-patterns.js';

const PATTERNS = [
  NOT_BLANK,
  WITHOUT_NUL,
  SLUG,
  TIME_OR_SECONDS,
  unreadable(MAX_KEYWORD_QUERY_LENGTH),
  unreadable(MAX_SEMANTIC_QUERY_LENGTH),
  letterOrDigit(),
];

describe('the patterns of the description', () => {
  test('find a letter or a digit where the library does, in every character there is', () => {
    const pattern = new RegExp(letterOrDigit(), 'u');
    const wrong: string[] = [];
    for (let codePoint = 0; codePoint < 0x110000; codePoint++) {
      const character = String.fromCodePoint(codePoint);
      if (pattern.test(character) !== /[\p{L}\p{N}]/u.test(character)) wrong.push(codePoint.toString(16));
    }
    expect(wrong).toEqual([]);
  });

  test('allow the questions that are taken, whatever white space is around them', () => {
    const has = new RegExp(letterOrDigit(), 'u');
    const hasNot = new RegExp(unreadable(MAX_KEYWORD_QUERY_LENGTH), 'u');
    const part = fc.constantFrom(
      ' ',
      '\u3000',
      '\u0085',
      '\ufeff',
      '!',
      'a',
      '𠮷',
      '😀',
      'a'.repeat(99),
      ' '.repeat(99),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const q = parts.join('');
        expect(has.test(q) && !hasNot.test(q), JSON.stringify(q)).toBe(isTaken(q));
      }),
      { numRuns: 500 },
    );
  });

  test('allow the times that are read, and no others', () => {
    const pattern = new RegExp(TIME_OR_SECONDS, 'u');
    const two = fc.integer({ min: 0, max: 61 }).map((n) => String(n).padStart(2, '0'));
    const year = fc.constantFrom('0000', '1900', '2000', '2023', '2024', '2100', '9999', '999');
    const zone = fc.oneof(
      fc.constantFrom('', 'Z', 'z', '+24:00', '-00:00', '+1:00'),
      fc.tuple(two, two).map(([h, m]) => `+${h}:${m}`),
    );
    const time = fc.oneof(
      fc.constant(''),
      fc
        .tuple(
          fc.constantFrom('T', 't', ' ', '_'),
          two,
          two,
          fc.constantFrom('', ':00', ':59.123456789', ':60', '.5'),
          zone,
        )
        .map(([mark, hour, minute, second, where]) => `${mark}${hour}:${minute}${second}${where}`),
    );
    const day = fc.tuple(year, two, two).map((parts) => parts.join('-'));
    fc.assert(
      fc.property(day, time, (date, rest) => {
        const text = date + rest;
        expect(pattern.test(text), text).toBe(readTime(text) !== undefined);
      }),
      { numRuns: 5000 },
    );
    for (const month of ['01', '02', '04', '12']) {
      for (const number of ['28', '29', '30', '31']) {
        for (const start of ['1900', '2000', '2023', '2024', '0400', '0000']) {
          const text = `${start}-${month}-${number}`;
          expect(pattern.test(text), text).toBe(readTime(text) !== undefined);
        }
      }
    }
  });

  test('are read alike with and without the modes of a language: no escape of a property, no look-around', () => {
    for (const pattern of PATTERNS) {
      expect(pattern).not.toMatch(/\\[pPwWdDbu]|\(\?[=!<]/);
      const counts = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].flatMap(([, least, most]) => [least, most]);
      for (const count of counts) expect(Number(count ?? 0)).toBeLessThanOrEqual(1000);
    }
  });

  const hasPython = spawnSync('python3', ['-c', 'pass']).status === 0;
  test.skipIf(!hasPython)('are understood by Python, which finds the same', () => {
    const texts = [
      '',
      ' ',
      '!',
      'a',
      '字',
      '٣',
      '𠮷',
      '😀',
      'a b',
      '2024-02-29',
      '2023-02-29',
      '12',
      'a'.repeat(201),
      'a'.repeat(2001),
    ];
    const code =
      'import json,re,sys; p,t=json.load(sys.stdin); print(json.dumps([[re.search(o,s) is not None for s in t] for o in p]))';
    const asked = JSON.stringify([PATTERNS, texts]);
    const { stdout } = spawnSync('python3', ['-X', 'utf8', '-c', code], { input: asked, encoding: 'utf8' });
    expect(JSON.parse(stdout)).toEqual(PATTERNS.map((one) => texts.map((text) => new RegExp(one, 'u').test(text))));
  });
});

function isTaken(q: string): boolean {
  try {
    readKeywordQuery(`q=${encodeURIComponent(q)}`, false);
    return true;
  } catch {
    return false;
  }
}
