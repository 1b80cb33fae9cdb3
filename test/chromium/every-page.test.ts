import { expect, test } from 'vitest';
import { describeInChromium, newPage, serving } from './browser.js';
import { axeFindings, everyPage, sticksOut, strangers } from './page-checks.js';
import { HOSTILE_ROWS, ORDINARY_ROWS, SCRIPTS } from './rows.js';

const WIDTHS = [320, 390, 1280, 2560];
const PAGES = everyPage({ question: 'notes', skill: 'pdf-forms' });
const SCHEMES = ['light', 'dark'] as const;

describeInChromium('every page', () => {
  const site = serving(ORDINARY_ROWS);
  const expected = [/status of 404/];

  test.each(PAGES)('%s fits, and axe-core finds nothing, at any width and in both schemes', async (_name, path) => {
    const page = await newPage(site().url, { expected });
    await page.goto(path);
    const found: string[] = [];
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      found.push(...(await sticksOut(page)).map((one) => `at ${width}: ${one}`));
      if (width !== 390 && width !== 1280) continue;
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme });
        found.push(...(await axeFindings(page)).map((one) => `at ${width}, ${colorScheme}: ${one}`));
      }
    }
    expect(found).toEqual([]);
  });

  test.each([
    [1280, 900, 5],
    [390, 844, 3],
  ])('of %i by %i has %i whole hits, below a header with one row of links', async (width, height, least) => {
    const page = await newPage(site().url, { width, height });
    await page.goto('/?q=notes');
    const placesOf = (selector: string) =>
      page.locator(selector).evaluateAll((all) => all.map((one) => one.getBoundingClientRect().bottom));
    expect((await placesOf('.hit'))[least - 1]).toBeLessThanOrEqual(height);
    expect(Math.max(...(await placesOf('header a:not(.skip)')))).toBeLessThan(60);
  });
});

const pathOf = (id: unknown) => `/skills/${encodeURIComponent(String(id))}`;
const PATHS = HOSTILE_ROWS.map(({ id }) => pathOf(id));

describeInChromium('skills of strangers', () => {
  const site = serving(HOSTILE_ROWS);

  test.each([
    ['with scripts in every field', PATHS.filter((path) => path.includes('hostile-'))],
    ['with texts that cover, reorder or widen', PATHS.filter((path) => path.includes('strange-'))],
    ['in lists', ['/?q=hostile', '/?q=strange+knows+opens+huge', '/?sortBy=stars']],
  ])('%s run nothing, ask nobody and overflow nothing', { timeout: 120_000 }, async (_kind, paths) => {
    const page = await newPage(site().url);
    for (const path of paths) {
      await page.goto(path);
      expect(await strangers(page), path).toEqual([]);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        expect(await sticksOut(page), `${path} at ${width}`).toEqual([]);
      }
    }
  });
});

const SKILL = '/skills/pdf-forms';

describeInChromium('the page of a skill', () => {
  const site = serving(ORDINARY_ROWS);

  test('copies code and commands as they are', async () => {
    const page = await newPage(site().url, { context: { permissions: ['clipboard-read', 'clipboard-write'] } });
    await page.goto(SKILL);
    const block = page.locator('main .markdown .code').filter({ hasText: 'from pdf import' });
    await block.getByRole('button', { name: /copy/i }).click();
    await expect.poll(() => block.getByRole('button').innerText()).toMatch(/copied/i);
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied.split('\n')[1]).toBe('fill("form.pdf", {"name": "Ada", "date": "2026-01-01"})');
  });

  test('shows one way to install it at a time, without a script', async () => {
    const page = await newPage(site().url, { javaScript: false });
    await page.goto(SKILL);
    const shown = () => page.locator('.install pre:visible').allInnerTexts();
    expect(await shown()).toEqual(['npx skills add https://code.example/ada/pdf-forms.git --skill pdf-forms']);
    await page.getByRole('radio', { name: 'git' }).check();
    expect(await shown()).toEqual(['git clone --depth 1 https://code.example/ada/pdf-forms.git']);
  });

  test('prints without navigation, boxes and buttons', async () => {
    const page = await newPage(site().url);
    await page.goto(SKILL);
    await page.emulateMedia({ media: 'print' });
    for (const hidden of ['header nav', 'input[type=search]', 'footer', 'button.copy', 'a.skip', '.way-back']) {
      const shown = await page.locator(hidden).evaluateAll((all) => all.filter((one) => one.checkVisibility()).length);
      expect(shown, hidden).toBe(0);
    }
    expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true);
    expect(await page.locator('main .markdown').isVisible()).toBe(true);
  });

  test.each(SCRIPTS)('in %s says so, and runs %s', async (language, direction, name) => {
    const page = await newPage(site().url);
    await page.goto(`/skills/meeting-${language}`);
    const ofText = async (selector: string) =>
      await page
        .locator(selector)
        .first()
        .evaluate((element) => {
          const language = element.closest('[lang]')?.getAttribute('lang');
          return [language, getComputedStyle(element).direction];
        });
    const heading = page.getByRole('heading', { level: 1 });
    expect(await heading.innerText()).toBe(name);
    const lang = expect.stringMatching(new RegExp(`^${language}`));
    for (const selector of ['h1', 'main .lead', 'main .markdown']) {
      expect(await ofText(selector), selector).toEqual([lang, direction]);
    }
    await page.goto(`/?q=${encodeURIComponent(name)}&mode=words`);
    expect(await ofText('#answer .hit p.text')).toEqual([lang, direction]);
    expect(await ofText('header')).toEqual(['en', 'ltr']);
  });
});

describeInChromium('the files of a skill', () => {
  const site = serving(ORDINARY_ROWS);

  test('are listed with their sizes; each is shown as text or not at all, and offered', async () => {
    const page = await newPage(site().url);
    await page.goto(SKILL);
    const links = page.getByRole('main').locator('ul.files a');
    const names = await links.allInnerTexts();
    expect(names.toSorted()).toEqual([
      ...['SKILL.md', 'assets/form.pdf', 'assets/logo.svg', 'assets/preview.html', 'references/fields.md'],
      'scripts/fill.py',
    ]);
    expect(await page.locator('ul.files').innerText()).toMatch(/scripts\/fill\.py\s+14 (B|bytes)/);
    for (const name of names) {
      await page.goto(`${SKILL}`);
      await links.filter({ hasText: name }).click();
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(name);
      expect(await page.title()).not.toBe('ran');
    }
  });
});
