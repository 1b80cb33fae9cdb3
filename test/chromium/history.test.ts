import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInChromium, newPage } from './browser.js';
import { ORDINARY_ROWS } from './ordinary-rows.js';
import { BY_MEANING, boxOf, hitsOf, summaryOf } from './search-page.js';
import { serving } from './site.js';

/** What somebody sees of a search: what was asked, and what was found. */
async function stateOf(page: Page): Promise<unknown> {
  return {
    title: await page.title(),
    question: await boxOf(page).inputValue(),
    mode: await page.locator('input[name=mode]:checked').getAttribute('value'),
    order: await page.locator('select[name=sortBy]').inputValue(),
    minStars: await page.getByLabel('Stars, at least').inputValue(),
    summary: await summaryOf(page).innerText(),
    hits: await hitsOf(page).allInnerTexts(),
    facets: await page.locator('#facets').innerText(),
  };
}

describeInChromium('every state of a search', () => {
  const site = serving(ORDINARY_ROWS);

  test('is a link: back, forward, reload and a new tab show the same', { timeout: 90_000 }, async () => {
    const page = await newPage(site().url);
    await page.goto('/');
    const states: { readonly url: string; readonly state: unknown }[] = [];
    const remember = async () => states.push({ state: await stateOf(page), url: page.url() });
    const openFilters = async () => {
      const summary = page.locator('details.filters > summary');
      if (await summary.isVisible()) await summary.click();
    };

    await boxOf(page).pressSequentially('notes', { delay: 30 });
    await expect.poll(() => summaryOf(page).innerText()).toMatch(BY_MEANING);
    await remember();
    await page.getByRole('radio', { name: 'Words' }).check();
    await expect.poll(() => summaryOf(page).innerText()).toBe('60 skills');
    await remember();
    await openFilters();
    await page
      .locator('#facets')
      .getByRole('link', { name: /^data-analysis|^Data analysis/i })
      .first()
      .click();
    await expect.poll(() => summaryOf(page).innerText()).toBe('15 skills');
    await remember();
    await page.locator('select[name=sortBy]').selectOption('stars');
    await expect.poll(() => summaryOf(page).innerText()).toContain('most stars first');
    await remember();
    await page.goto('/?q=notes&mode=words');
    await page.getByRole('link', { name: 'Next' }).click();
    await expect.poll(() => page.locator('main').innerText()).toContain('Page 2 of 3');
    await remember();
    expect(new Set(states.map(({ url }) => url)).size).toBe(states.length);

    const { state: last } = states.at(-1)!;
    await page.reload();
    expect(await stateOf(page)).toEqual(last);
    await page.goBack();
    await page.goBack();
    await expect.poll(() => page.url()).toBe(states[3]!.url);
    await expect.poll(() => stateOf(page)).toEqual(states[3]!.state);
    await page.goBack();
    await expect.poll(() => page.url()).toBe(states[2]!.url);
    await expect.poll(() => stateOf(page)).toEqual(states[2]!.state);
    await page.goForward();
    await expect.poll(() => stateOf(page)).toEqual(states[3]!.state);

    const other = await page.context().newPage();
    for (const { url, state } of states) {
      await other.goto(url);
      expect(await stateOf(other), url).toEqual(state);
    }
  });

  test('has one step back for a question, not one for each key', async () => {
    const page = await newPage(site().url);
    await page.goto('/?sortBy=stars');
    await page.goto('/');
    await boxOf(page).pressSequentially('bread audit', { delay: 20 });
    await expect.poll(() => summaryOf(page).innerText()).toMatch(BY_MEANING);
    await page.goBack();
    await page.goBack();
    await expect.poll(() => new URL(page.url()).search).toBe('?sortBy=stars');
  });

  test('is there again after a skill was looked at', async () => {
    const page = await newPage(site().url);
    await page.goto('/');
    await boxOf(page).pressSequentially('bread');
    await expect.poll(() => summaryOf(page).innerText()).toMatch(BY_MEANING);
    const before = await stateOf(page);
    await hitsOf(page).first().click();
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toMatch(/^bread-/);
    await page.goBack();
    await expect.poll(() => stateOf(page)).toEqual(before);
  });
});
