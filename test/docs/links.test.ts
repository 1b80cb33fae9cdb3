import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { anchorsOf, linesOf, PROJECT, pagePaths, readPage } from './pages.js';

interface Link {
  readonly line: number;
  readonly target: string;
}

/** Links and pictures, without those of code. */
function linksOf(page: string): Link[] {
  return linesOf(page).flatMap(({ number, text, isCode }) => {
    if (isCode) return [];
    const prose = text.replace(/`[^`]*`/g, '');
    return Array.from(prose.matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => ({ line: number, target }));
  });
}

const isElsewhere = (target: string): boolean => /^[a-z][a-z+.-]*:/i.test(target);

/** What is wrong with a relative link of a page; undefined where it leads somewhere. */
function faultOf(path: string, target: string): string | undefined {
  const [file = '', anchor] = target.split('#');
  const to = file === '' ? path : posix.join(posix.dirname(path), decodeURIComponent(file));
  if (to.startsWith('..')) return 'leads out of the project';
  if (!existsSync(join(PROJECT, to))) return 'there is no such file';
  if (anchor === undefined) return undefined;
  if (!to.endsWith('.md')) return 'an anchor that is not of a page';
  return anchorsOf(readPage(to)).has(anchor) ? undefined : 'there is no such heading';
}

test.each(pagePaths())('%s has links that lead to files and headings that exist', (path) => {
  const faults = linksOf(readPage(path))
    .filter(({ target }) => !isElsewhere(target))
    .map(({ line, target }) => ({ line, target, fault: faultOf(path, target) }))
    .filter(({ fault }) => fault !== undefined);
  expect(faults).toEqual([]);
});

test('every page of docs/ is linked from the README or a page that it links', () => {
  const reached = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path) || !path.endsWith('.md') || !existsSync(join(PROJECT, path))) return;
    reached.add(path);
    for (const { target } of linksOf(readPage(path))) {
      const [file = ''] = target.split('#');
      if (!isElsewhere(target) && file !== '') visit(posix.join(posix.dirname(path), file));
    }
  };
  visit('README.md');
  expect(pagePaths().filter((path) => !reached.has(path))).toEqual([]);
});
