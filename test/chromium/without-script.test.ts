import { expect, test } from 'vitest';
import { describeInChromium, newPage } from './browser.js';
import { ORDINARY_ROWS } from './ordinary-rows.js';
import { BY_MEANING, boxOf, hitsOf, summaryOf } from './search-page.js';
import { serving } from './site.js';

describeInChromium('without JavaScript', () => {
  const site = serving(ORDINARY_ROWS);

  test('one searches by the form, filters and turns pages by links, and reads a skill', async () => {
    const page = await newPage(site().url, { javaScript: false });
    await page.goto('/');
    await boxOf(page).fill('notes');
    await page.getByRole('radio', { name: 'Words' }).check();
    await page.locator('select[name=sortBy]').selectOption('stars');
    await boxOf(page).press('Enter');
    expect(await summaryOf(page).innerText()).toBe('60 skills, most stars first');
    expect(await hitsOf(page).count()).toBe(20);
    const [first] = await hitsOf(page).allInnerTexts();

    await page.getByRole('link', { name: 'Next' }).click();
    expect(await page.getByRole('main').innerText()).toContain('Page 2 of 3');
    expect(await hitsOf(page).allInnerTexts()).not.toContain(first);
    expect(await boxOf(page).inputValue()).toBe('notes');

    await page.locator('#facets').getByRole('link', { name: /heron/ }).click();
    expect(await summaryOf(page).innerText()).toBe('15 skills, most stars first');
    const fields = page.locator('details.more-filters');
    if (!(await page.getByLabel('Stars, at least').isVisible())) await fields.locator('summary').click();
    await page.getByLabel('Stars, at least').fill('500');
    await page.getByRole('button', { name: 'Filter' }).click();
    const narrowed = new URL(page.url()).searchParams;
    expect([narrowed.get('author'), narrowed.get('minStars'), narrowed.get('q')]).toEqual(['heron', '500', 'notes']);
    const left = await hitsOf(page).count();
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(15);

    const name = (await hitsOf(page).first().innerText()).trim();
    await hitsOf(page).first().click();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(name);
    await page.getByRole('banner').getByRole('searchbox').fill('bread');
    await page.getByRole('banner').getByRole('searchbox').press('Enter');
    expect(await summaryOf(page).innerText()).toMatch(BY_MEANING);
  });

  test('it is said plainly that nothing fits, and what cannot be asked', async () => {
    const page = await newPage(site().url, { javaScript: false, expected: [/status of 400/] });
    await page.goto('/?q=zzxqv&mode=words');
    expect(await summaryOf(page).innerText()).toBe('Nothing fits.');
    await page.goto('/?q=bread&minStars=many');
    expect(await page.getByRole('main').innerText()).toMatch(/minStars.*many/s);
    await page.goto('/?q=bread&page=0');
    expect(await page.getByRole('main').innerText()).toContain('page');
  });
});
