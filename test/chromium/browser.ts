import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { type RunningServer, type ServerOptions, startServer } from '../../src/http/index.js';
import { buildCatalogue, openSkillSearch, type SkillSearch } from '../../src/index.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';

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

/** Where Chromium is, or why there is none. */
export type Found = { readonly path: string } | { readonly path: undefined; readonly reason: string };

/** What Chromium is called, in the order in which it is looked for. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/**
 * Finds the Chromium of this machine: `CHROMIUM_PATH`, else what is on `PATH`. A program of that name that cannot say
 * its version counts as none: some systems have a stand-in there that only says what to install.
 *
 * @throws {Error} if `CHROMIUM_PATH` names something else: whoever sets it wants these tests
 */
export function findChromium(environment: NodeJS.ProcessEnv = process.env): Found {
  const { CHROMIUM_PATH: chosen, PATH: path = '' } = environment;
  if (chosen !== undefined && chosen !== '') {
    if (isChromium(chosen)) return { path: chosen };
    throw new Error(`CHROMIUM_PATH must be the path of Chromium or Chrome, got ${chosen}`);
  }
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  const programs = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).filter(isProgram);
  const found = programs.find(isChromium);
  if (found !== undefined) return { path: found };
  const seen = programs.length === 0 ? '' : ` (${programs.join(', ')} cannot say a version)`;
  return { path: undefined, reason: `none of ${NAMES.join(', ')} on PATH${seen}, and no CHROMIUM_PATH` };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isChromium(path: string): boolean {
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 20_000 });
  return /^(Chromium|Google Chrome) \d/.test(stdout ?? '');
}

/** A server with pages over a catalogue in a file. */
export interface Site {
  /** Of its first page, without a slash at its end. */
  readonly url: string;
  readonly search: SkillSearch;
  readonly server: RunningServer;
  close(): Promise<void>;
}

/** Serves these rows at a free port. Nobody is counted, except where a test is about that. */
export async function startSite(rows: readonly unknown[], options: ServerOptions = {}): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'skill-discovery-'));
  const database = join(folder, 'skills.db');
  const embedder = new StandInEmbedder();
  await buildCatalogue({
    database,
    sources: [{ name: 'rows', rows }],
    embedder,
  });
  const search = await openSkillSearch({ database, embedder });
  const server = await startServer(search, { port: 0, pages: true, access: false, ...options });
  return {
    ...{ url: server.url, search, server },
    async close() {
      await server.close(0);
      await search.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One site for all tests of a `describe`; read it in tests only. */
export function serving(rows: readonly unknown[], options: ServerOptions = {}): () => Site {
  let site: Site | undefined;
  beforeAll(async () => {
    site = await startSite(rows, options);
  });
  afterAll(() => site?.close());
  return () => site!;
}
