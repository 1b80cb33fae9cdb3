import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { requestIn } from '../../../src/core/index.js';

const REQUESTS = [
  'Can you turn this into a chart of response times and save it as a PNG?',
  'fix the totals in src/invoice.ts and add a test for line 12',
  'I have thirty scanned PDFs in a folder, please make them searchable.',
  'Erstelle mir daraus bitte eine Präsentation mit fünf Folien.',
  'Crea una hoja de cálculo con los gastos de cada mes.',
  '请把这些日志整理成一份 Word 报告。',
  'このデータから請求書を作成してください。',
];

/** What people paste, line by line. */
const PASTED: readonly ((i: number) => string)[] = [
  (i) => `2026-11-27T13:0${i % 10}:12Z INFO [worker-${i}] id=${i} took ${i}ms path=/api/v1/users/${i}`,
  (i) => `    at Object.handle${i} (/app/node_modules/express/lib/router/index.js:${i}:47)`,
  (i) => `  const value${i} = await fetchUser(${i}, { retry: true });`,
  () => '> The meeting will be held in the large room on the second floor.',
  (i) => `| Region ${i} | ${i * 31} | ${i * 17}.5 % |`,
  (i) => `ERROR: cannot create the table ${i}`,
];

const blocks = fc.array(
  fc
    .record({ kind: fc.constantFrom(...PASTED), count: fc.integer({ min: 30, max: 60 }) })
    .map(({ kind, count }) => Array.from({ length: count }, (_, i) => kind(i)).join('\n')),
  { minLength: 2, maxLength: 5 },
);

describe('the request in a text', () => {
  test('is found wherever it stands among what was pasted', () => {
    fc.assert(
      fc.property(
        ...([blocks, fc.constantFrom(...REQUESTS), fc.nat(5), fc.constantFrom('\n', '\n\n')] as const),
        (pasted, request, place, between) => {
          const text = pasted.toSpliced(place, 0, request).join(between);
          expect(requestIn(text, 2000)).toBe(request);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('is a short paragraph before or behind a long article, not what the article says', () => {
    const article = Array.from({ length: 60 }, (_, i) => `The jar stands in place ${'x'.repeat(i)} and waits.`).join(
      '\n\n',
    );
    expect(requestIn(`Translate this to French:\n\n${article}`, 2000)).toBe('Translate this to French:');
    expect(requestIn(`${article}\n\nsummarise that in five lines`, 2000)).toBe('summarise that in five lines');
  });

  test('is never longer than asked for, and a short text as it is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 400 }),
        fc.integer({ min: 20, max: 300 }),
        (text, longest) => {
          const request = requestIn(text, longest);
          expect([...request].length).toBeLessThanOrEqual(longest);
          if ([...text].length <= longest) expect(request).toBe(text.trim());
        },
      ),
    );
  });
});
