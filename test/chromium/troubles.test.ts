import { expect, onTestFinished, test } from 'vitest';
import { describeInChromium, newPage } from './browser.js';
import { ORDINARY_ROWS } from './ordinary-rows.js';
import { sticksOut } from './page-checks.js';
import { boxOf, hitsOf, summaryOf } from './search-page.js';
import { type Site, startSite } from './site.js';

async function siteOf(...given: Parameters<typeof startSite>): Promise<Site> {
  const site = await startSite(...given);
  onTestFinished(() => site.close());
  return site;
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

  test('finds by words in a catalogue without vectors, and says so', async () => {
    const site = await siteOf(ORDINARY_ROWS, { vectors: false });
    const page = await newPage(site.url);
    await page.goto('/?q=bread');
    expect(await hitsOf(page).count()).toBe(5);
    expect(await page.getByRole('main').innerText()).toContain('by words');
    await boxOf(page).fill('travel');
    await expect.poll(async () => (await hitsOf(page).allInnerTexts())[0]).toMatch(/^travel-/);
    await page.goto('/skills/bread-audit');
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('bread-audit');
  });

  test('of an empty catalogue says that there is nothing', async () => {
    const site = await siteOf([]);
    const page = await newPage(site.url);
    for (const path of ['/', '/?q=bread', '/?sortBy=stars']) {
      await page.goto(path);
      expect((await page.getByRole('main').innerText()).trim(), path).not.toBe('');
      expect(await sticksOut(page)).toEqual([]);
    }
    await page.goto('/');
    await boxOf(page).fill('bread');
    await expect.poll(() => summaryOf(page).innerText()).toBe('Nothing fits.');
  });
});
