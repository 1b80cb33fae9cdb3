import { expect, test } from 'vitest';
import { describeInChromium, newPage } from './browser.js';
import { HOSTILE_ROWS } from './hostile-rows.js';
import { sticksOut, strangers } from './page-checks.js';
import { serving } from './site.js';

const WIDTHS = [320, 390, 1280, 2560];
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
