import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInChromium, newPage } from './browser.js';
import { ORDINARY_ROWS } from './ordinary-rows.js';
import { recordShifts, shiftsOf } from './page-checks.js';
import { BY_MEANING, boxOf, holdQuestions, summaryOf } from './search-page.js';
import { serving } from './site.js';

const MOST = 100_000;

/** Bytes that came over the wire for a page so far, heads and the icon of the tab included. */
async function countBytes(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  let sum = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    sum += encodedDataLength;
  });
  return async () => {
    // Without a window there are no tabs, and nothing asks for their icons.
    const icon = await page.request.get((await page.locator('link[rel=icon]').getAttribute('href'))!);
    return sum + (await icon.body()).length + JSON.stringify(icon.headers()).length;
  };
}

describeInChromium('the first answer', () => {
  const many = Array.from({ length: 15 }, (_, i) =>
    ORDINARY_ROWS.map((row) => ({ ...row, id: `${row.id}-${i}`, author: `author-${i}`, files: [] })),
  ).flat();
  const site = serving(many);

  test('takes less than 100 kB by words and by meaning together, the page included, and moves nothing', async () => {
    const page = await newPage(site().url);
    const bytes = await countBytes(page);
    await recordShifts(page);
    await page.goto('/');
    const held = await holdQuestions(page);
    await boxOf(page).fill('notes');
    await expect.poll(() => held.asked.length).toBe(2);
    await held.release(0);
    await expect.poll(() => summaryOf(page).innerText()).toMatch(/^\d+ skills/);
    await held.release(1);
    await expect.poll(() => summaryOf(page).innerText()).toMatch(BY_MEANING);
    expect(await bytes()).toBeGreaterThan(10_000);
    expect(await bytes()).toBeLessThan(MOST);
    expect(await shiftsOf(page)).toEqual([]);
  });

  test('takes less than 100 kB where nothing is compressed on its way, too', async () => {
    const page = await newPage(site().url);
    await page.goto('/');
    const ask = async (path: string) =>
      (await page.request.get(path, { headers: { 'Accept-Encoding': 'identity' } })).body();
    const paths = ['/', '/assets/page.css', '/assets/page.js', '/assets/icon.svg'];
    const answers = ['/page/search?q=notes&quick=1', '/page/search?q=notes'];
    const lengths = await Promise.all([...paths, ...answers].map(async (path) => (await ask(path)).length));
    expect(Math.min(...lengths.slice(4))).toBeGreaterThan(10_000);
    expect(lengths.reduce((sum, length) => sum + length)).toBeLessThan(MOST);
  });

  test('takes less than 100 kB by a link, too, and moves nothing', async () => {
    const page = await newPage(site().url);
    const bytes = await countBytes(page);
    await recordShifts(page);
    await page.goto('/?q=notes');
    expect(await summaryOf(page).innerText()).toMatch(BY_MEANING);
    expect(await bytes()).toBeLessThan(MOST);
    expect(await shiftsOf(page)).toEqual([]);
  });
});
