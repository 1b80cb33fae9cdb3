import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInChromium, newPage, serving, watchFaults } from './browser.js';
import { BY_MEANING, boxOf, hitsOf, summaryOf } from './page-checks.js';
import { ORDINARY_ROWS } from './rows.js';

/** What the focus is at, as a screen reader would name it. */
async function focused(page: Page): Promise<string> {
  return await page.evaluate(() => {
    const at = document.activeElement as HTMLElement;
    const label = at.getAttribute('aria-label') ?? (at as HTMLInputElement).labels?.[0]?.textContent ?? at.innerText;
    return `${at.tagName.toLowerCase()} ${label.trim()}`;
  });
}

describeInChromium('the keyboard alone', () => {
  const site = serving(ORDINARY_ROWS);

  test('reaches the box by a slash, on every page, and types slashes in it', async () => {
    const page = await newPage(site().url);
    for (const path of ['/', '/skills/pdf-forms', '/?q=bread']) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
      await page.evaluate(() => (document.activeElement as HTMLElement).blur());
      await page.keyboard.press('/');
      expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).name), path).toBe('q');
      await page.keyboard.press('End');
      await page.keyboard.type(' a/b');
      expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).value)).toMatch(/ ?a\/b$/);
    }
  });

  test('chooses a suggestion by arrows and Enter, and closes them by Escape', async () => {
    const page = await newPage(site().url);
    await page.goto('/');
    const box = boxOf(page);
    const list = page.getByRole('listbox');
    expect(await box.getAttribute('role')).toBe('combobox');
    expect(await box.getAttribute('aria-expanded')).toBe('false');
    expect(await box.getAttribute('aria-controls')).toBe(await page.locator('[role=listbox]').getAttribute('id'));
    expect(await list.count()).toBe(0);

    await box.focus();
    await box.pressSequentially('spread');
    await expect.poll(() => box.getAttribute('aria-expanded')).toBe('true');
    const options = list.getByRole('option');
    expect(await options.count()).toBeGreaterThan(1);
    expect(await options.first().innerText()).toContain('spreadsheets');
    expect(await box.getAttribute('aria-activedescendant')).toBeFalsy();
    await page.keyboard.press('ArrowDown');
    const active = await box.getAttribute('aria-activedescendant');
    expect(active).toBe(await options.first().getAttribute('id'));
    expect(await options.first().getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('ArrowUp');
    expect(await options.first().getAttribute('aria-selected')).not.toBe('true');
    expect(await focused(page)).toContain('Search skills');

    await page.keyboard.press('Escape');
    await expect.poll(() => box.getAttribute('aria-expanded')).toBe('false');
    expect(await box.inputValue()).toBe('spread');

    await box.press('s');
    await expect.poll(() => box.getAttribute('aria-expanded')).toBe('true');
    await page.keyboard.press('ArrowDown');
    const chosen = await list.locator('[aria-selected=true]').innerText();
    await page.keyboard.press('Enter');
    await expect.poll(() => box.inputValue()).toBe(chosen.trim());
    await expect.poll(() => box.getAttribute('aria-expanded')).toBe('false');
    await expect.poll(() => hitsOf(page).count()).toBeGreaterThan(0);
  });

  test('asks by Enter, and goes from the box to the first skill and on by Tab, all of it seen', async () => {
    const page = await newPage(site().url);
    await page.goto('/');
    expect(await focused(page)).toBe('input Search skills');
    await page.goto('/?sortBy=recent');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('a Skip to the content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
    await page.keyboard.press('/');
    await page.keyboard.type('bread');
    await page.keyboard.press('Enter');
    await expect.poll(() => summaryOf(page).innerText()).toMatch(BY_MEANING);
    await expect.poll(() => boxOf(page).getAttribute('aria-expanded')).toBe('false');
    const seen: string[] = [];
    const first = (await hitsOf(page).first().innerText()).trim();
    for (let i = 0; i < 80 && !seen.includes(`a ${first}`); i++) {
      await page.keyboard.press('Tab');
      seen.push(await focused(page));
      const box = await page.evaluate(() => {
        const { width, height, top } = document.activeElement!.getBoundingClientRect();
        const { outlineStyle, boxShadow } = getComputedStyle(document.activeElement!);
        return {
          area: width * height,
          inView: top < innerHeight,
          marked: outlineStyle !== 'none' || boxShadow !== 'none',
        };
      });
      // Radio buttons are seen by their labels.
      if (!seen.at(-1)!.startsWith('input')) expect(box, seen.at(-1)!).toMatchObject({ inView: true, marked: true });
    }
    expect(seen).toContain(`a ${first}`);
    await page.locator('.hit summary', { hasText: 'Why this' }).first().press('Enter');
    expect(await page.locator('.hit dl').first().isVisible()).toBe(true);
    await hitsOf(page).first().press('Enter');
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe(first);
  });
});

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
});

describeInChromium('a page that is watched', () => {
  test.each([
    ['a script in its text', '<script>document.title = "ran"</script>', /^says Executing inline script violates/],
    ['a style attribute', '<p style="color: red">red</p>', /^says Applying inline style violates/],
    [
      'an image of another origin',
      '<img src="http://other.example/x.png">',
      /^asks for http:\/\/other\.example\/x\.png/,
    ],
    ['a missing script of its own', '<script src="/none.js"></script>', /^says Failed to load resource.*none\.js/],
  ])('is faulty with %s', async (_kind, body, fault) => {
    const page = await newPage(SITE, { expected: [/./] });
    const faults = watchFaults(page.context(), SITE);
    await page.route(`${SITE}/**`, (route) => {
      const headers = { 'Content-Type': 'text/html', 'Content-Security-Policy': "default-src 'self'; img-src *" };
      const status = route.request().url().endsWith('.js') ? 404 : 200;
      return route.fulfill({ status, headers, body: `<!doctype html><title>as it was</title>${body}` });
    });
    await page.goto(SITE);
    expect(await page.title()).toBe('as it was');
    expect(faults.some((one) => fault.test(one))).toBe(true);
  });
});

const SITE = 'http://127.0.0.1:9';
