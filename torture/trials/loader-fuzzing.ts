import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { buildCatalogue, openSkillSearch, type SkillSearch } from '../../src/index.js';
import { oneOf, randomInteger, type Trial } from '../trial.js';

const SAMPLE = fileURLToPath(new URL('../../data/sample', import.meta.url));
/** Files that are taken as material at most, and bytes of each. */
const MOST_FILES = 20_000;
const MOST_BYTES = 128 * 1024;
/** Mutated folders of a load, and mutated rows. */
const LOADED = 120;

/** Rows that every load has beside the mutated ones. */
const HEALTHY = Array.from({ length: 5 }, (_, i) => ({
  id: `healthy-${i}`,
  name: `healthy ${i}`,
  description: `stays as it is, whatever its neighbours are: qx${i}zv`,
  files: [{ filename: 'SKILL.md', text: `text of number ${i}` }],
}));

/** Loads mutated SKILL.md files and rows of JSON, beside healthy skills. */
export const LOADER_FUZZING: Trial = {
  name: 'loader-fuzzing',
  promise:
    'Whatever a SKILL.md or a row holds, it becomes a skill or is rejected with a reason, and other rows are unharmed.',
  begin: async ({ random, folder, material }) => {
    const markdown = filesIn(join(SAMPLE, 'folders'), /\.md$/i);
    if (material !== undefined) markdown.push(...filesIn(material, /./));
    const rows = readFileSync(join(SAMPLE, 'skills.jsonl'), 'utf8').split('\n').slice(0, 200);
    const json = [...rows.map((row) => Buffer.from(row)), Buffer.from(`[${rows.slice(0, 5).join(',\n')}]`)];
    const some = (files: readonly Buffer[]): Buffer[] =>
      Array.from({ length: LOADED }, () => mutate(random, oneOf(random, files), oneOf(random, files)));
    const facts = { skills: 0, rejected: 0, 'files of material': markdown.length };
    const attempt = async (): Promise<number> => {
      const [folders, lines] = [some(markdown), some(json)];
      try {
        const { skills, rejected } = await load(join(folder, 'load'), folders, lines);
        facts.skills += skills;
        facts.rejected += rejected;
      } catch (cause) {
        const bytes = Buffer.concat([...folders, ...lines]).toString('base64');
        throw new Error(`${(cause as Error).stack}\nwhat was loaded (base64): ${bytes}`, { cause });
      }
      return 2 * LOADED;
    };
    return { facts, attempt };
  },
};

/** Loads folders and rows, with healthy skills between them, twice, and looks at the catalogue. */
async function load(
  folder: string,
  folders: readonly Buffer[],
  rows: readonly Buffer[],
): Promise<{ readonly skills: number; readonly rejected: number }> {
  rmSync(folder, { recursive: true, force: true });
  for (const [i, bytes] of folders.entries()) {
    const skill = join(folder, 'skills', String(i).padStart(3, '0'));
    mkdirSync(skill, { recursive: true });
    writeFileSync(join(skill, 'SKILL.md'), bytes);
  }
  const between = LOADED / HEALTHY.length;
  const lines = rows.flatMap((row, i) => {
    const healthy = i % between === 0 ? [JSON.stringify(HEALTHY[i / between]), '\n'] : [];
    return [...healthy, row, '\n'].map((piece) => Buffer.from(piece));
  });
  const database = join(folder, 'skills.db');
  const sources = [join(folder, 'skills'), join(folder, 'rows.jsonl')];
  writeFileSync(sources[1]!, Buffer.concat(lines));
  const report = await buildCatalogue({ database, sources, semantic: false, maxListedProblems: 0 });
  if (report.failed.length > 0) throw new Error(`a source failed: ${report.failed[0]?.reason}`);
  const untold = report.rejected.find(({ reason }) => reason.trim() === '');
  if (untold !== undefined) throw new Error(`rejected without a reason: ${untold.origin}`);
  {
    await using search = await openSkillSearch({ database });
    const fromFolder = report.rejected.filter(({ origin }) => origin !== sources[1]).length;
    const found = search.ids().filter((id) => /^skills-\d{3}(?:-|$)/.test(id)).length;
    if (found + fromFolder < LOADED) throw new Error('a SKILL.md became neither a skill nor a rejected row');
    if (search.ids().length !== report.added) throw new Error(`${report.added} were added, but not all are there`);
    check(search);
  }
  const again = await buildCatalogue({ database, sources, semantic: false });
  if (again.added + again.updated + again.removed > 0) throw new Error('loading the same again changed something');
  return { skills: report.added, rejected: report.rejectedCount };
}

/** Each skill can be shown, and the healthy ones are as they were. */
function check(search: SkillSearch): void {
  for (const id of search.ids()) {
    const { name, description } = search.get(id)!;
    const files = search.files(id);
    if (name.trim() === '' || description.trim() === '' || files.length === 0) throw new Error(`${id} shows nothing`);
    const texts = [name, description, ...files.flatMap(({ filename, text }) => [filename, text])];
    if (texts.some((text) => text.includes('\0') || !text.isWellFormed())) throw new Error(`${id} has a broken text`);
  }
  for (const [i, { files, ...fields }] of HEALTHY.entries()) {
    const { id, name, description } = search.get(fields.id) ?? {};
    if (!isDeepStrictEqual({ id, name, description }, fields)) throw new Error(`${fields.id} was harmed`);
    const [hit] = search.keyword({ q: `qx${i}zv` }).hits;
    if (hit?.skill.id !== fields.id) throw new Error(`${fields.id} is not found any more`);
    if (search.files(fields.id)[0]?.text !== files[0]?.text) throw new Error(`the file of ${fields.id} was harmed`);
  }
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

/** Pieces that mean something to a reader of front matter, Markdown, JSON, UTF-8, UTF-16 or gzip, with § between. */
const TEXTS = [
  '---\n§...\n§```yaml\n§~~~\n§<!--§-->§# §## name: §name: §description: >-\n  §tags: [§? §- §: §&a §*a§<<: *a\n§!!binary ',
  '!<tag:x> §%YAML 1.1\n§|2+\n§"§\'§\\u0000§\\ud800§{§}§[§]§,§{"name":"n","description":"d"}\n§"id":null,§"stars":-1,',
  '"files":[{"filename":"../x","text":""}],§"updatedAt":1e400,§__proto__: x\n§constructor: y\n§\r\n§\r§\n\n§\t§\0§\ufeff',
  '----------b\nContent-Type: x\n\n§\u2028§\u202e§é§中文§\u{1f41d}',
].flatMap((texts) => texts.split('§'));
const LONG = [' '.repeat(40), 'a'.repeat(5000), '[{'.repeat(300), ','.repeat(300)];
const BYTES = ['fffe', 'feff', 'c328', 'eda080', '1f8b08'];
const PIECES: readonly Buffer[] = [
  ...[...TEXTS, ...LONG].map((text) => Buffer.from(text)),
  ...BYTES.map((hex) => Buffer.from(hex, 'hex')),
];

/** Largest result, in bytes: an attempt must stay quick. */
const MOST_MUTATED = 256 * 1024;

/** Changes some bytes of a file: one to eight changes, each with another file at hand to take parts from. */
function mutate(random: () => number, file: Buffer, other: Buffer): Buffer {
  let bytes = file;
  for (let left = 1 + randomInteger(random, 8); left > 0; left--) {
    bytes = oneOf(random, CHANGES)(random, bytes, other).subarray(0, MOST_MUTATED);
  }
  return bytes;
}

type Change = (random: () => number, bytes: Buffer, other: Buffer) => Buffer;

const CHANGES: readonly Change[] = [
  // A byte becomes another.
  (random, bytes) => {
    if (bytes.length === 0) return bytes;
    const changed = Buffer.from(bytes);
    changed[randomInteger(random, bytes.length)] = randomInteger(random, 256);
    return changed;
  },
  // A part goes.
  (random, bytes) => {
    const [from, to] = range(random, bytes);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
  },
  // A part comes again.
  (random, bytes) => {
    const [from, to] = range(random, bytes);
    return insert(random, bytes, bytes.subarray(from, to));
  },
  // A part of another file comes in.
  (random, bytes, other) => insert(random, bytes, other.subarray(...range(random, other))),
  // The end is that of another file.
  (random, bytes, other) =>
    Buffer.concat([
      bytes.subarray(0, randomInteger(random, bytes.length + 1)),
      other.subarray(randomInteger(random, other.length + 1)),
    ]),
  (random, bytes) => insert(random, bytes, oneOf(random, PIECES)),
  (random, bytes) => insert(random, bytes, oneOf(random, PIECES)),
  (random, bytes) => Buffer.concat([oneOf(random, PIECES), bytes]),
  // It ends too early.
  (random, bytes) => bytes.subarray(0, randomInteger(random, bytes.length + 1)),
  // Lines end otherwise, or are lost.
  (random, bytes) =>
    Buffer.from(bytes.toString('latin1').replaceAll('\n', oneOf(random, ['\r\n', '\r', ' '])), 'latin1'),
];

function insert(random: () => number, bytes: Buffer, piece: Buffer): Buffer {
  const at = randomInteger(random, bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
}

function range(random: () => number, bytes: Buffer): [from: number, to: number] {
  const from = randomInteger(random, bytes.length + 1);
  return [from, Math.min(bytes.length, from + randomInteger(random, 200))];
}
