import { describe, expect, test } from 'vitest';
import { PAGE_SIZE } from '../../../src/http/pages/search/find-skills.js';
import { row } from '../../rows.js';
import { type Ask, type Reply, serve } from '../ask.js';
import { KITE } from './kite.js';
import { expectHarmless, linksOf, plainLinksOf, textOf } from './page-text.js';

function shownText(reply: Reply): string {
  return textOf(reply).replace(/\s+/g, ' ');
}

/** The links of every page of a list, from the first to the last, by `Next`. */
async function linksOfAll(ask: Ask, from: string): Promise<string[]> {
  const links: string[] = [];
  let path: string | undefined = from;
  for (let pages = 0; path !== undefined && pages < 100; pages++) {
    const reply: Reply = await ask(path);
    expect(reply.status, path).toBe(200);
    links.push(...linksOf(reply));
    path = /<a href="([^"]*)" rel="next">/.exec(reply.text)?.[1]?.replaceAll('&amp;', '&');
  }
  return links;
}

describe('lists to browse', () => {
  test('have all categories with their number, by the names that the taxonomy has, and those that it does not know', async () => {
    const { ask } = await serve(
      [KITE, row('b', { categories: ['testing', 'crafts'] }), row('c', { categories: ['testing'] })],
      { pages: true },
    );
    const reply = await ask('/categories');
    expect(shownText(reply)).toMatch(/2 categories, with the number of their skills.*Testing 2.*Others.*Crafts 2/);
    expect(linksOf(reply).toSorted()).toEqual(['/browse?category=crafts', '/browse?category=testing']);
    expectHarmless(reply);
  });

  test('have all occupations without their codes', async () => {
    const { ask } = await serve([KITE], { pages: true });
    const reply = await ask('/occupations');
    expect(shownText(reply)).toContain('Toy makers 1');
    expect(linksOf(reply)).toEqual(['/browse?occupation=toy-makers-519199']);
  });

  test('have all authors, to the last page', async () => {
    const skills = Array.from({ length: 1050 }, (_, i) => row(`k${i}`, { author: `author-${i}` }));
    const { ask } = await serve(skills, { pages: true });
    expect(shownText(await ask('/authors'))).toContain('1,050 authors');
    expect(shownText(await ask('/authors?page=3'))).toContain('Page 3 of 3');
    const links = (await linksOfAll(ask, '/authors')).filter((link) => link.startsWith('/browse?author='));
    expect(new Set(links).size).toBe(1050);
  });

  test.each(['recent', 'stars'])(
    'have every skill in the order %s, to the last page and beyond the fiftieth',
    async (sortBy) => {
      const skills = Array.from({ length: PAGE_SIZE * 51 + 1 }, (_, i) =>
        row(`k${i}`, { updatedAt: 1e9 + ((i * 7919) % 9973), stars: (i * 104_729) % 7919 }),
      );
      const { ask } = await serve(skills, { pages: true, pagesPerMinute: 0 });
      const links = (await linksOfAll(ask, `/browse?sortBy=${sortBy}`)).filter((link) => link.startsWith('/skills/'));
      expect(links.length).toBe(skills.length);
      const key = sortBy === 'recent' ? 'updatedAt' : 'stars';
      const expected = skills.toSorted((a, b) => Number(b[key]) - Number(a[key]));
      const shown = links.map((link) => skills[Number(/^\/skills\/k(\d+)/.exec(link)![1])]![key]);
      expect(shown).toEqual(expected.map((skill) => skill[key]));
      const last = await ask(`/browse?sortBy=${sortBy}&page=52`);
      expect(shownText(last)).toContain('Page 52 of 52');
      expect(shownText(await ask(`/browse?sortBy=${sortBy}&page=53`))).toContain('There is nothing here.');
    },
  );

  test('are narrowed by a label or an author, and lead to a search among these', async () => {
    const { ask } = await serve([KITE, row('b', { author: 'finch', categories: ['testing'] })], { pages: true });
    const reply = await ask('/browse?category=testing&sortBy=stars');
    expect(plainLinksOf(reply)).toEqual(
      expect.arrayContaining(['/skills/b', '/?category=testing', '/browse?sortBy=recent&category=testing']),
    );
    expect(plainLinksOf(reply)).not.toContain('/skills/kite');
    expect(shownText(reply)).toContain('Testing');
    expect(shownText(await ask('/browse?author=wren'))).toContain('Skills of wren');
  });

  test.each([
    '/browse?page=0',
    '/browse?page=x',
    '/browse?sortBy=name',
    '/browse?category=A%20B',
    '/browse?page=1&page=2',
    '/authors?page=-1',
    '/authors?page=1.5',
  ])('%s is 400', async (path) => {
    const { ask } = await serve([KITE], { pages: true });
    const reply = await ask(path);
    expect([reply.status, reply.code]).toEqual([400, 'INVALID_PARAMETER']);
  });
});

describe('links inside pages', () => {
  test.each([
    ['https://skills.example', ''],
    ['https://skills.example/', ''],
    ['https://skills.example/base', '/base'],
    ['https://skills.example/a/b/', '/a/b'],
  ])('with the public URL %s begin with %j', async (publicUrl, base) => {
    const { ask } = await serve([KITE], { pages: true, publicUrl });
    for (const path of [
      '/',
      '/?q=kite',
      '/?q=zeppelin&mode=words&category=crafts',
      '/browse',
      '/categories',
      '/authors',
      '/skills/kite',
    ]) {
      const { text } = await ask(path);
      const links = [...text.matchAll(/ (?:href|src|action|data-search)="([^"]*)"/g)].map(([, link]) => link as string);
      expect(links.length).toBeGreaterThan(10);
      for (const link of links) expect(link, path).toMatch(new RegExp(`^(?:${base}/(?!/)|https?://|#)`));
    }
    expect((await ask('/robots.txt')).text).toContain(`Disallow: ${base}/api/`);
  });

  test('lead to what is served', async () => {
    const { ask } = await serve([KITE], { pages: true });
    const seen = new Set<string>();
    const queue = ['/'];
    while (queue.length > 0 && seen.size < 60) {
      const path = queue.shift()!;
      if (seen.has(path)) continue;
      seen.add(path);
      const reply = await ask(path);
      expect(reply.status, path).toBe(200);
      const links = [...reply.text.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, link]) =>
        (link as string).replaceAll('&amp;', '&'),
      );
      queue.push(...links.filter((link) => link.startsWith('/')));
    }
    expect(seen.size).toBeGreaterThan(15);
  });
});
