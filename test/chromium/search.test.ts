import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { closing } from '../scratch-folder.js';
import { describeInChromium, newPage, type Site, serving, startSite } from './browser.js';
import {
  BY_MEANING,
  boxOf,
  hitsOf,
  holdQuestions,
  installClock,
  recordShifts,
  shiftsOf,
  sticksOut,
  stopClock,
  summaryOf,
  watchQuestions,
} from './page-checks.js';
import { ORDINARY_ROWS } from './rows.js';

/** Milliseconds between two keys of one question, and after the last of them until it is asked. */
const NEXT_KEY = 50;
const PAUSE = 250;

describeInChromium('somebody who types', () => {
  const site = serving(ORDINARY_ROWS);

  test('gets skills when the typing pauses, by one question', async () => {
    const page = await newPage(site().url);
    await installClock(page);
    const asked = watchQuestions(page);
    await page.goto('/');
    await stopClock(page);
    for (const key of 'bread') {
      await page.keyboard.press(key);
      await page.clock.runFor(NEXT_KEY);
    }
    await page.clock.runFor(PAUSE);
    await expect.poll(() => summaryOf(page).innerText()).toMatch(BY_MEANING);
    expect(asked.map(({ searchParams }) => searchParams.get('q'))).toEqual(['bread']);
    expect((await hitsOf(page).allInnerTexts())[0]).toMatch(/^bread-/);
    await page.clock.runFor(20 * PAUSE);
    expect(asked.length).toBe(1);
  });

  test('sees no answer to a question over that to a later one', async () => {
    const page = await newPage(site().url);
    await installClock(page);
    await page.goto('/?mode=words');
    await stopClock(page);
    const held = await holdQuestions(page);
    await boxOf(page).fill('bread');
    await page.clock.runFor(PAUSE);
    await expect.poll(() => held.asked.length).toBe(1);
    await boxOf(page).fill('travel audit');
    await page.clock.runFor(PAUSE);
    await expect.poll(() => held.asked.length).toBe(2);
    await held.release(1);
    await expect.poll(() => summaryOf(page).innerText()).toBe('1 skill');
    await held.release(0);
    // Time for the answer to arrive and do harm.
    await page.clock.runFor(PAUSE);
    await page.request.get('/robots.txt');
    expect(await hitsOf(page).allInnerTexts()).toEqual(['travel-audit']);
  });

  describe('and edits', () => {
    test('gets the first page again with an empty box, and nothing for blanks', async () => {
      const page = await newPage(site().url);
      await page.goto('/');
      const welcome = await page.locator('#answer').innerText();
      await boxOf(page).pressSequentially('bread');
      await expect.poll(async () => (await hitsOf(page).allInnerTexts())[0]).toMatch(/^bread-/);
      await boxOf(page).fill('');
      await expect.poll(() => page.locator('#answer').innerText()).toBe(welcome);
      await boxOf(page).fill('   ');
      await expect.poll(() => page.locator('#answer').innerText()).toBe(welcome);
    });

    test('is told what cannot be asked, and goes on typing', async () => {
      const page = await newPage(site().url, { expected: [/status of 400/] });
      await page.goto('/');
      await boxOf(page).pressSequentially('?');
      await expect.poll(() => page.locator('main').innerText()).toContain('a letter or a digit');
      await boxOf(page).pressSequentially(' bread');
      await expect.poll(async () => (await hitsOf(page).allInnerTexts())[0]).toMatch(/^bread-/);
      expect(await page.locator('main').innerText()).not.toContain('a letter or a digit');
    });
  });
});

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
});

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

  test('takes less than 100 kB, the page included, and moves nothing', async () => {
    const page = await newPage(site().url);
    const bytes = await countBytes(page);
    await recordShifts(page);
    await page.goto('/');
    await boxOf(page).fill('notes');
    await expect.poll(() => summaryOf(page).innerText()).toMatch(BY_MEANING);
    expect(await bytes()).toBeGreaterThan(10_000);
    expect(await bytes()).toBeLessThan(MOST);
    expect(await shiftsOf(page)).toEqual([]);
  });
});

async function siteOf(...given: Parameters<typeof startSite>): Promise<Site> {
  return closing(await startSite(...given));
}

describeInChromium('the search page', () => {
  test('says kindly that a limit is reached, keeps what was found, and goes on', async () => {
    const site = await siteOf(ORDINARY_ROWS, { pageSearchesPerMinute: 3 });
    const page = await newPage(site.url, { expected: [/status of 429/] });
    await page.goto('/?q=bread&mode=words');
    for (let i = 0; i < 3; i++) await page.request.get('/page/search?q=travel');
    await boxOf(page).fill('maps');
    await expect.poll(() => page.getByRole('alert').innerText()).toMatch(/minute/);
    expect(await hitsOf(page).allInnerTexts()).toEqual(expect.arrayContaining(['bread-audit']));
    expect(await boxOf(page).inputValue()).toBe('maps');
    expect(await sticksOut(page)).toEqual([]);
  });

  test('says so when the server is away while somebody types, and finds again when it is back', async () => {
    const site = await siteOf(ORDINARY_ROWS);
    const page = await newPage(site.url, { expected: [/ERR_INTERNET_DISCONNECTED|ERR_FAILED|ERR_CONNECTION/] });
    await page.goto('/?mode=words');
    await boxOf(page).fill('bread');
    await expect.poll(() => hitsOf(page).count()).toBe(5);
    await page.context().setOffline(true);
    await boxOf(page).fill('travel');
    await expect.poll(() => page.getByRole('alert').innerText()).not.toBe('');
    await page.context().setOffline(false);
    await boxOf(page).fill('maps');
    await expect.poll(async () => (await hitsOf(page).allInnerTexts())[0]).toMatch(/^maps-/);
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});
