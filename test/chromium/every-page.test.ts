import { describe, expect, test } from 'vitest';
import { describeInChromium, newPage } from './browser.js';
import { everyPage } from './every-page.js';
import { ORDINARY_ROWS } from './ordinary-rows.js';
import { axeFindings, sticksOut } from './page-checks.js';
import { serving } from './site.js';

const WIDTHS = [320, 390, 1280, 2560];
const PAGES = everyPage({ question: 'notes', skill: 'pdf-forms' });
const SCHEMES = ['light', 'dark'] as const;

describeInChromium('every page', () => {
  const site = serving(ORDINARY_ROWS);
  const expected = [/status of 404/];

  describe.each(PAGES)('%s', (_name, path) => {
    test('fits, and axe-core finds nothing, at any width and in both schemes', async () => {
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
  });
});
