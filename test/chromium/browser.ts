import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { findChromium } from './find-chromium.js';

/** How a page is looked at. */
export interface Looks {
  /** In CSS pixels. @default 1280 */
  readonly width?: number;
  /** In CSS pixels. @default 900 */
  readonly height?: number;
  /** @default 'light' */
  readonly scheme?: 'light' | 'dark';
  /** Whether scripts of the page run. @default true */
  readonly javaScript?: boolean;
  /** Faults that belong to the test: texts of the console, as `Failed to load resource: … 404`. @default none */
  readonly expected?: readonly RegExp[];
  /** Everything else that a browser context takes. */
  readonly context?: BrowserContextOptions;
}

let browser: Browser | undefined;

/**
 * Tests in a real Chromium, one for all tests of the file. Where there is none they are skipped, and the reason is
 * printed.
 */
export function describeInChromium(name: string, body: () => void): void {
  const found = findChromium();
  if (found.path === undefined) {
    console.warn(`Skipped: ${name}. There is no Chromium: ${found.reason}.`);
    describe.skip(`${name} (skipped: no Chromium)`, body);
    return;
  }
  // The browser shares the machine with other tests. What it does late once is no fault; what fails twice is.
  describe(name, { retry: 1 }, () => {
    beforeAll(async () => {
      browser = await launch(found.path);
    });
    afterAll(async () => {
      await browser?.close();
      browser = undefined;
    });
    body();
  });
}

/** Chromium without a window. No name but those of this machine can be resolved, so nothing reaches a network. */
export async function launch(path: string): Promise<Browser> {
  return await chromium.launch({
    executablePath: path,
    // The sandbox refuses to run for root.
    chromiumSandbox: process.getuid?.() !== 0,
    args: ['--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1'],
  });
}

/**
 * An empty page in a context of its own, closed when the test ends. The test then fails if the page, or another of its
 * context, asked for anything of another origin, or if there was an error in the console (refusals of the
 * Content-Security-Policy are there) or one that no script caught.
 *
 * @param url of the site; only its origin counts
 */
export async function newPage(url: string, looks: Looks = {}): Promise<Page> {
  const { width = 1280, height = 900, scheme = 'light', javaScript = true, expected = [], context: more } = looks;
  if (browser === undefined) throw new Error('newPage() is for tests of describeInChromium()');
  const context = await browser.newContext({
    ...{ viewport: { width, height }, colorScheme: scheme, javaScriptEnabled: javaScript, baseURL: url },
    // Colours on their way to others are neither.
    ...{ locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' },
    ...more,
  });
  context.setDefaultTimeout(10_000);
  const faults = watchFaults(context, url);
  onTestFinished(async () => {
    await context.close();
    expect(faults.filter((fault) => !expected.some((pattern) => pattern.test(fault)))).toEqual([]);
  });
  return await context.newPage();
}

/** What goes wrong in a context from now on: a list that grows. */
export function watchFaults(context: BrowserContext, url: string): readonly string[] {
  const { origin } = new URL(url);
  const faults: string[] = [];
  context.on('request', (request) => {
    const asked = request.url();
    if (!/^(data|blob|about):/.test(asked) && new URL(asked).origin !== origin) faults.push(`asks for ${asked}`);
  });
  context.on('console', (message) => {
    if (message.type() === 'error') faults.push(`says ${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => faults.push(`throws ${String(error.error())}`));
  context.on('dialog', (dialog) => {
    faults.push(`opens a dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });
  return faults;
}
