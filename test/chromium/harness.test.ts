import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { scratchFolder } from '../scratch-folder.js';
import { describeInChromium, newPage, watchFaults } from './browser.js';
import { findChromium } from './find-chromium.js';

describe('Chromium is looked for', () => {
  test('by CHROMIUM_PATH, which must be right, then by its names on PATH', () => {
    const [first, second] = [scratchFolder(), scratchFolder()];
    const PATH = `${first}:${second}`;
    expect(findChromium({ PATH })).toMatchObject({ path: undefined, reason: expect.stringContaining('on PATH') });

    const other = program(second, 'google-chrome', 'Google Chrome 140.0.1');
    expect(findChromium({ PATH })).toEqual({ path: other });
    const usual = program(second, 'chromium', 'Chromium 140.0.1');
    expect(findChromium({ PATH })).toEqual({ path: usual });
    expect(findChromium({ PATH, CHROMIUM_PATH: other })).toEqual({ path: other });
    expect(() => findChromium({ PATH, CHROMIUM_PATH: join(first, 'none') })).toThrow(/CHROMIUM_PATH must be/);
  });

  test('and a program that only says what to install, a folder, or a file that cannot run is none', () => {
    const folder = scratchFolder();
    const standIn = program(folder, 'chromium-browser', 'chromium-browser requires the chromium snap');
    mkdirSync(join(folder, 'chromium'));
    writeFileSync(join(folder, 'google-chrome'), '');
    const found = findChromium({ PATH: folder });
    expect(found).toMatchObject({ path: undefined, reason: expect.stringContaining(standIn) });
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

  test('is faulty with an error that no script catches, and with a dialog', async () => {
    const page = await newPage(SITE, { expected: [/./] });
    const faults = watchFaults(page.context(), SITE);
    await page.evaluate(() => {
      setTimeout(() => {
        throw new Error('on purpose');
      });
      setTimeout(() => alert('hello'), 1);
    });
    await page.waitForEvent('dialog').catch(() => {});
    expect(faults).toEqual([expect.stringMatching(/^throws .*on purpose/), 'opens a dialog: hello']);
  });
});

const SITE = 'http://127.0.0.1:9';

function program(folder: string, name: string, says: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\necho '${says}'\n`);
  chmodSync(path, 0o755);
  return path;
}
