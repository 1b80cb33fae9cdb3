import { createHash } from 'node:crypto';
import { oneOf, randomInteger } from './random.js';

const WORDS =
  'react testing python browser résumé naïve data pipeline release notes invoice kubernetes deploy tests tester tested c++ node.js 中文搜索 東京 วันนี้ calendar archive merge request refactor PascalCaseName snake_case kebab-case'.split(
    ' ',
  );

type TrialFile =
  | { readonly filename: string; readonly text: string }
  | { readonly filename: string; readonly base64: string; readonly complete: true; readonly sha256: string };

/** A file of a row that says that it is complete. */
export function wholeFile(filename: string, bytes: Buffer): TrialFile {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { filename, base64: bytes.toString('base64'), complete: true, sha256 };
}

/** A row of a source, as trials make them. */
export interface TrialRow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly author: string;
  readonly stars: number;
  readonly updatedAt: number;
  readonly categories: readonly string[];
  readonly files: readonly TrialFile[];
}

/** A row whose text is made of few words, so that every question finds some. */
export function trialRow(random: () => number, number: number): TrialRow {
  const words = (count: number): string => Array.from({ length: count }, () => oneOf(random, WORDS)).join(' ');
  // Few words more than 255 times: their frequency does not fit into a byte.
  const often = randomInteger(random, 50) === 0 ? ' tests'.repeat(300) : '';
  return {
    id: `skill-${number}`,
    name: words(1 + randomInteger(random, 3)),
    description: words(5 + randomInteger(random, 20)),
    author: oneOf(random, WORDS),
    stars: randomInteger(random, 1000),
    updatedAt: 1_700_000_000 + randomInteger(random, 1_000_000),
    categories: [oneOf(random, ['testing', 'data', 'web'])],
    files: [
      { filename: 'SKILL.md', text: `${words(20 + randomInteger(random, 60))}${often}` },
      // Some bring bytes, few of them different.
      ...(number % 3 === 0 ? [wholeFile('data.bin', Buffer.alloc(2000, number % 7))] : []),
    ],
  };
}

/** Rows `skill-<from>` up to `skill-<to>`, without the last. */
export function trialRows(random: () => number, to: number, from = 0): TrialRow[] {
  return Array.from({ length: to - from }, (_, i) => trialRow(random, from + i));
}

export const QUESTIONS: readonly string[] = [
  'react testing',
  '"data pipeline" release',
  '"release notes invoice"',
  'kubernets deploi',
  'browse',
  'tests',
  'résumé',
  '中文',
  '東',
  'react python browser data pipeline release invoice kubernetes archive',
  'zzzz',
  'node.js c++',
  '"tests tests tests"',
];
