import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInChromium, newPage } from './browser.js';
import { ORDINARY_ROWS } from './ordinary-rows.js';
import { BY_MEANING, boxOf, hitsOf, summaryOf } from './search-page.js';
import { serving } from './site.js';

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
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe(first);
  });

  test('leaves keys with Ctrl, Alt and Meta, and keys in other fields, to whom they belong', async () => {
    const page = await newPage(site().url);
    await page.goto('/?q=bread');
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press('Control+/');
    expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true);
    await page.locator('select[name=sortBy]').focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => summaryOf(page).innerText()).toContain('newest first');
  });
});
