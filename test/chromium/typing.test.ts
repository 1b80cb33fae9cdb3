import { describe, expect, test } from 'vitest';
import { describeInChromium, newPage } from './browser.js';
import { ORDINARY_ROWS } from './ordinary-rows.js';
import { recordShifts, shiftsOf } from './page-checks.js';
import {
  BY_MEANING,
  boxOf,
  hitsOf,
  holdQuestions,
  installClock,
  stopClock,
  summaryOf,
  watchQuestions,
} from './search-page.js';
import { serving } from './site.js';

/** Milliseconds after the last key within which words are asked for. */
const AT_ONCE = 50;
/** And after which nobody is typing any more. */
const LONG_AFTER = 2000;

describeInChromium('somebody who types', () => {
  const site = serving(ORDINARY_ROWS);

  test('gets skills by words at once, and by meaning when the typing stops', async () => {
    const page = await newPage(site().url);
    await installClock(page);
    const asked = watchQuestions(page);
    await page.goto('/');
    await stopClock(page);
    for (const key of 'bread') await page.keyboard.press(key);
    expect(asked).toEqual([]);
    await boxOf(page).focus();
    for (const key of 'bread') {
      await page.keyboard.press(key);
      await page.clock.runFor(AT_ONCE);
    }
    await expect.poll(() => asked.map(({ searchParams }) => searchParams.get('q'))).toContain('bread');
    expect(asked.every(({ searchParams }) => searchParams.get('quick') === '1')).toBe(true);
    await expect.poll(() => hitsOf(page).allInnerTexts()).toHaveLength(5);
    expect((await hitsOf(page).allInnerTexts()).every((name) => name.startsWith('bread-'))).toBe(true);
    await expect.poll(() => summaryOf(page).innerText()).toBe('5 skills');

    await page.clock.runFor(LONG_AFTER);
    await expect.poll(() => summaryOf(page).innerText()).toMatch(BY_MEANING);
    expect(asked.at(-1)!.searchParams.get('quick')).toBeNull();
    const count = asked.length;
    await page.clock.runFor(10 * LONG_AFTER);
    expect(asked.length).toBe(count);
  });

  test('never sees an answer to an earlier question after one to a later', async () => {
    const page = await newPage(site().url);
    await installClock(page);
    await page.goto('/');
    await stopClock(page);
    const held = await holdQuestions(page);
    const type = async (text: string) => {
      const before = held.asked.length;
      await boxOf(page).fill(text);
      await page.clock.runFor(AT_ONCE);
      await expect.poll(() => held.asked.length).toBeGreaterThan(before);
      return held.asked.length - 1;
    };
    const first = await type('bread');
    const second = await type('travel');
    await held.release(second);
    await expect.poll(() => hitsOf(page).allInnerTexts()).toHaveLength(5);
    await held.release(first);
    await page.clock.runFor(AT_ONCE);
    const third = await type('maps');
    await held.release(third);
    await expect.poll(async () => (await hitsOf(page).allInnerTexts())[0]).toMatch(/^maps-/);
    await expect.poll(() => boxOf(page).inputValue()).toBe('maps');
  });

  test('sees no meaning of a question over the words of a later one', async () => {
    const page = await newPage(site().url);
    await installClock(page);
    await page.goto('/');
    await stopClock(page);
    const held = await holdQuestions(page);
    await boxOf(page).fill('bread');
    await page.clock.runFor(AT_ONCE);
    await expect.poll(() => held.asked.length).toBe(1);
    await held.release(0);
    await expect.poll(() => summaryOf(page).innerText()).toBe('5 skills');
    await page.clock.runFor(LONG_AFTER);
    await expect.poll(() => held.asked.length).toBe(2);
    await boxOf(page).fill('travel audit');
    await page.clock.runFor(AT_ONCE);
    await expect.poll(() => held.asked.length).toBe(3);
    await held.release(2);
    await expect.poll(() => summaryOf(page).innerText()).toBe('1 skill');
    await held.release(1);
    // Time for the answer to arrive and do harm.
    await page.clock.runFor(AT_ONCE);
    await page.request.get('/robots.txt');
    expect(await hitsOf(page).allInnerTexts()).toEqual(['travel-audit']);
  });

  test('sees which word was read as which, where the typo step answered', async () => {
    const page = await newPage(site().url);
    await page.goto('/');
    await page.getByRole('radio', { name: 'Words' }).check();
    await boxOf(page).pressSequentially('spreadshets');
    await expect.poll(() => page.locator('#answer').innerText()).toContain('spreadshets');
    await page.locator('#answer').getByRole('link', { name: 'spreadsheets', exact: true }).first().click();
    await expect.poll(() => boxOf(page).inputValue()).toBe('spreadsheets');
    await expect.poll(() => summaryOf(page).innerText()).toBe('5 skills');
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

  test('sees nothing move on the page that nobody moved', async () => {
    const page = await newPage(site().url);
    await recordShifts(page);
    await page.goto('/?q=notes');
    await boxOf(page).pressSequentially(' bread');
    await expect.poll(() => summaryOf(page).innerText()).toMatch(BY_MEANING);
    expect(await shiftsOf(page)).toEqual([]);
  });
});
