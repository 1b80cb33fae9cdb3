import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const page = readFileSync(new URL('../docs/specification.md', import.meta.url), 'utf8');
const rows = [...page.matchAll(/^\|([^|]*)\| ([\w/.-]+\.ts) \| (.+) \|$/gm)].map(([, , file, name]) => ({
  file: file as string,
  name: (name as string).replace(/…$/, '').trim(),
}));

test('the page has a table of promises', () => {
  expect(rows.length).toBeGreaterThan(50);
});

test.each(rows)('$file has the test "$name"', ({ file, name }) => {
  const source = readFileSync(new URL(file, import.meta.url), 'utf8');
  const beginnings = ["'", '"', '`'].map((mark) => `(${mark}${name}`);
  expect(beginnings.some((beginning) => source.includes(beginning))).toBe(true);
});
