import { expect, test } from 'vitest';
import { replaceSection } from '../../bench/marked-section.js';

const PAGE = `# Page

<!-- bars: written by the run -->

old figures

<!-- end of bars -->

after
`;

test('what stands between the comments is replaced, and nothing else', () => {
  const page = replaceSection(PAGE, 'bars', '\nnew $& figures\n');
  expect(page).toBe(PAGE.replace('old figures', () => 'new $& figures'));
});

test('replacing twice leaves the last content', () => {
  expect(replaceSection(replaceSection(PAGE, 'bars', 'one'), 'bars', 'two')).toBe(replaceSection(PAGE, 'bars', 'two'));
});

test.each([
  ['no section', '# Page\n'],
  ['no end', '<!-- bars: x -->\n'],
  ['two sections', PAGE + PAGE],
  ['the end before the beginning', '<!-- end of bars -->\n<!-- bars: x -->\n'],
])('a page with %s is refused', (_, page) => {
  expect(() => replaceSection(page, 'bars', 'new')).toThrow('section between "<!-- bars: … -->"');
});
