import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { buildCatalogue, openSkillSearch, type SkillDetails } from '../../src/index.js';
import { readSkillMarkdown } from '../../src/sources/folder/front-matter.js';
import { skillMarkdownRow } from '../../src/sources/folder/skill-markdown-row.js';
import { checkRow, checkSource, readSource, type SourceItem } from '../../src/sources/index.js';
import { mutate } from '../mutate.js';
import type { Trial, TrialContext, TrialOutcome } from '../trial.js';
import { oneOf, randomInteger } from '../trial.js';

const SAMPLE = fileURLToPath(new URL('../../data/sample', import.meta.url));
/** Files that are taken as material at most, and bytes of each. */
const MOST_FILES = 20_000;
const MOST_BYTES = 128 * 1024;
/** Texts that are read between two whole loads, and texts of such a load. */
const READ_BETWEEN = 2000;
const LOADED = 60;

/** Rows that every load has beside the mutated ones. */
const HEALTHY = Array.from({ length: 5 }, (_, i) => ({
  id: `healthy-${i}`,
  name: `healthy ${i}`,
  description: `stays as it is, whatever its neighbours are: qx${i}zv`,
  files: [{ filename: 'SKILL.md', text: `text of number ${i}` }],
}));

interface Tally {
  skills: number;
  rejected: number;
  failed: number;
  loads: number;
  slowest: number;
}

/**
 * Mutates SKILL.md files and rows of JSON. Most are given to the readers directly; some become a whole load, beside
 * healthy skills.
 */
export const LOADER_FUZZING: Trial = {
  name: 'loader-fuzzing',
  promise:
    'Whatever a SKILL.md or a row holds, it becomes a skill or is rejected with a reason, and other rows are unharmed.',
  run: fuzz,
};

async function fuzz({ random, until, folder, material, say }: TrialContext): Promise<TrialOutcome> {
  const markdown = filesIn(join(SAMPLE, 'folders'), /\.md$/i);
  if (material !== undefined) markdown.push(...filesIn(material, /./));
  const rows = readFileSync(join(SAMPLE, 'skills.jsonl'), 'utf8').split('\n').slice(0, 200);
  const json = [...rows.map((row) => Buffer.from(row)), Buffer.from(`[${rows.slice(0, 5).join(',\n')}]`)];
  const next = (files: readonly Buffer[]): Buffer => mutate(random, oneOf(random, files), oneOf(random, files));

  const tally: Tally = { skills: 0, rejected: 0, failed: 0, loads: 0, slowest: 0 };
  let attempts = 0;
  do {
    await loadAll(
      join(folder, 'load'),
      () => next(markdown),
      () => next(json),
      tally,
    );
    attempts += 2 * LOADED;
    for (let left = READ_BETWEEN; left > 0 && performance.now() < until; left--) {
      const isMarkdown = randomInteger(random, 3) > 0;
      const bytes = next(isMarkdown ? markdown : json);
      const began = performance.now();
      try {
        if (isMarkdown) readMarkdown(bytes, tally);
        else await readJson(bytes, random, tally);
      } catch (error) {
        throw broken(error, isMarkdown ? 'SKILL.md' : 'JSON', bytes);
      }
      tally.slowest = Math.max(tally.slowest, performance.now() - began);
      attempts += 1;
    }
    if (tally.loads % 25 === 0) say(`${attempts.toLocaleString('en')} texts, ${tally.loads} loads`);
  } while (performance.now() < until);
  const { slowest, ...counts } = tally;
  return {
    attempts,
    facts: { ...counts, 'slowest text, ms': Math.round(slowest), 'files of material': markdown.length },
  };
}

function readMarkdown(bytes: Buffer, tally: Tally): void {
  const markdown = readSkillMarkdown(bytes.toString('utf8'));
  check({ kind: 'row', origin: { source: 'fuzz' }, value: skillMarkdownRow(markdown, 'folder') }, tally);
}

async function readJson(bytes: Buffer, random: () => number, tally: Tally): Promise<void> {
  try {
    const stdin = Readable.from(inChunks(bytes, random));
    for await (const item of readSource(await checkSource('-'), { stdin })) check(item, tally);
  } catch (error) {
    // A source may break, with an error that says why. What came before counts.
    const faults = [error, (error as Error).cause].filter((fault) => fault !== undefined);
    const isOurs = (fault: unknown): boolean =>
      fault instanceof Error && fault.name === 'Error' && fault.message !== '';
    if (!faults.every(isOurs)) throw error;
    tally.failed += 1;
  }
}

async function* inChunks(bytes: Buffer, random: () => number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + randomInteger(random, bytes.length);
    yield bytes.subarray(at, end);
    at = end;
  }
}

/** What an item becomes is a skill that can be stored, or it has a reason. */
function check(item: SourceItem, tally: Tally): void {
  if (item.kind === 'known' || item.kind === 'remark') return;
  const checked = item.kind === 'row' ? checkRow(item) : { kind: 'rejected' as const, reason: item.reason };
  if (checked.kind === 'rejected') {
    if (checked.reason.trim() === '') throw new Error('rejected without a reason');
    tally.rejected += 1;
    return;
  }
  const { name, description, files, properties } = checked.draft;
  if (name.trim() === '' || description.trim() === '' || files.length === 0)
    throw new Error('a skill that shows nothing');
  const texts = [name, description, ...files.flatMap(({ filename, text }) => [filename, text])];
  if (texts.some((text) => text.includes('\0') || !text.isWellFormed()))
    throw new Error('a text that cannot be stored');
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(properties)), properties))
    throw new Error('more than JSON can hold');
  tally.skills += 1;
}

/** Loads a folder and a file of mutated texts, with healthy skills between them, and looks at the catalogue. */
async function loadAll(folder: string, markdown: () => Buffer, json: () => Buffer, tally: Tally): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const written = new Map<string, Buffer>();
  for (let i = 0; i < LOADED; i++)
    written.set(join(folder, `skills/${String(i).padStart(3, '0')}/SKILL.md`), markdown());
  const lines: Buffer[] = [];
  for (let i = 0; i < LOADED; i++) {
    if (i % 12 === 0) lines.push(Buffer.from(`${JSON.stringify(HEALTHY[i / 12])}\n`));
    lines.push(json(), Buffer.from('\n'));
  }
  written.set(join(folder, 'rows.jsonl'), Buffer.concat(lines));
  try {
    for (const [path, bytes] of written) {
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, bytes);
    }
    await checkLoad(folder, tally);
  } catch (error) {
    throw broken(error, 'load', Buffer.concat([...written.values()]));
  }
}

async function checkLoad(folder: string, tally: Tally): Promise<void> {
  const database = join(folder, 'skills.db');
  const sources = [join(folder, 'skills'), join(folder, 'rows.jsonl')];
  const report = await buildCatalogue({ database, sources, semantic: false });
  if (report.failed.length > 0) throw new Error(`a source failed: ${report.failed[0]?.reason}`);
  const faults = report.rejected.filter(({ reason }) => reason.trim() === '');
  if (faults.length > 0) throw new Error(`rejected without a reason: ${faults[0]?.origin}`);
  const fromFolder = report.rejected.filter(({ origin }) => origin !== sources[1]);

  await using search = await openSkillSearch({ database });
  const ids = search.ids();
  if (ids.length !== report.added) throw new Error(`${report.added} were added, but there are ${ids.length}`);
  const foundInFolder = ids.filter((id) => /^skills-\d{3}(?:-|$)/.test(id)).length;
  if (foundInFolder + fromFolder.length < LOADED)
    throw new Error('a SKILL.md became neither a skill nor a rejected row');
  for (const id of ids) {
    search.get(id);
    search.files(id);
  }
  for (const [i, { files, ...fields }] of HEALTHY.entries()) {
    const found: Partial<SkillDetails> = search.get(fields.id) ?? {};
    const { id, name, description } = found;
    if (!isDeepStrictEqual({ id, name, description }, fields)) throw new Error(`${fields.id} was harmed`);
    const [hit] = search.keyword({ q: `qx${i}zv` }).hits;
    if (hit?.skill.id !== fields.id) throw new Error(`${fields.id} is not found any more`);
    if (search.files(fields.id)[0]?.text !== files[0]?.text) throw new Error(`the file of ${fields.id} was harmed`);
  }
  const again = await buildCatalogue({ database, sources, semantic: false });
  if (again.added + again.updated + again.removed > 0) throw new Error('loading the same again changed something');
  tally.loads += 1;
}

/** The files of a folder at any depth whose name fits. */
function filesIn(folder: string, name: RegExp): Buffer[] {
  const files: Buffer[] = [];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !name.test(entry.name) || files.length === MOST_FILES) continue;
    const path = join(entry.parentPath, entry.name);
    if (statSync(path).size <= MOST_BYTES) files.push(readFileSync(path));
  }
  return files;
}

function broken(cause: unknown, what: string, bytes: Buffer): Error {
  const message = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  return new Error(`${message}\n${what} (base64): ${bytes.toString('base64')}`, { cause });
}
