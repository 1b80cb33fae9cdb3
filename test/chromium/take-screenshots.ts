// Writes a picture of every page, at two widths and in both colour schemes:
// npx tsx test/chromium/take-screenshots.ts FOLDER [--database PATH] [--question TEXT] [--skill ID]
// Without a database those of the sample catalogue.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { run } from '../../src/cli/index.js';
import { startServer } from '../../src/http/index.js';
import { openSkillSearch } from '../../src/index.js';
import { findChromium, launch } from './browser.js';
import { everyPage } from './page-checks.js';

const WIDTHS = [390, 1280];
const SCHEMES = ['light', 'dark'] as const;

await main();

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      database: { type: 'string' },
      question: { type: 'string', default: 'turn a messy spreadsheet into a table' },
      skill: { type: 'string', default: 'lin-qiuyu-office-skills-skills-meeting-minutes' },
    },
  });
  const [folder] = positionals;
  const chromium = findChromium();
  if (folder === undefined) throw new Error('name the folder for the pictures');
  if (chromium.path === undefined) throw new Error(chromium.reason);
  mkdirSync(folder, { recursive: true });
  const scratch = mkdtempSync(join(tmpdir(), 'skill-discovery-'));
  const database = values.database ?? (await loadSample(join(scratch, 'skills.db')));
  const search = await openSkillSearch({ database });
  await search.warmUp();
  const server = await startServer(search, { port: 0, pages: true, access: false });
  const browser = await launch(chromium.path);
  for (const colorScheme of SCHEMES) {
    for (const width of WIDTHS) {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
      const page = await context.newPage();
      for (const [name, path] of everyPage({ question: values.question, skill: values.skill })) {
        await page.goto(server.url + path);
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      }
      await context.close();
    }
  }
  await browser.close();
  await server.close(0);
  await search.close();
  rmSync(scratch, { recursive: true, force: true });
}

async function loadSample(database: string): Promise<string> {
  const { SAMPLE_CATALOGUE } = (await import(new URL('../../scripts/sample-catalogue.mjs', import.meta.url).href)) as {
    readonly SAMPLE_CATALOGUE: readonly string[];
  };
  const status = await run(['load', '--database', database, ...SAMPLE_CATALOGUE], {
    out: process.stderr,
    error: process.stderr,
  });
  if (status !== 0) throw new Error('the sample catalogue was not loaded');
  return database;
}
