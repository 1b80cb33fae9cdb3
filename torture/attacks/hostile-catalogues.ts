import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomNumbers } from '../../src/evaluation/compare.js';
import { buildCatalogue } from '../../src/index.js';
import { trialRows, wholeFile } from '../loads.js';

/** Ordinary skills of each catalogue, so that an ordinary question finds something. */
const ORDINARY = 200;
const MEBIBYTE = 1024 * 1024;
/** Bytes of the file of a heavy skill. With its SKILL.md it has as many as a skill may have. */
const HEAVY_BYTES = 16 * MEBIBYTE - 64 * 1024;
/** Skills with such a file: of text that JSON writes as it is, of text that it escapes, and of random bytes. */
export const HEAVY = ['heavy-text', 'heavy-escapes', 'heavy-bytes'] as const;

/** How large a catalogue is: enough for a few seconds of an attack, or as the attack was first seen. */
export type Scale = 'short' | 'long';

type Row = object;

/** What somebody may put into a catalogue to make its server stand still. */
const HOSTILE_ROWS = {
  plain: () => [],
  heavy: () => HEAVY.map(heavyRow),
  growing: () => Array.from({ length: 60 }, (_, i) => [growingRow(i), markedRow(i)]).flat(),
  files: (scale) => Array.from({ length: scale === 'short' ? 60 : 150 }, (_, i) => filesRow(i)),
  labels: (scale) => Array.from({ length: scale === 'short' ? 2000 : 10_000 }, (_, i) => labelledRow(i)),
  copies: (scale) => Array.from({ length: scale === 'short' ? 40_000 : 200_000 }, (_, i) => copiedRow(i)),
  // Each part as large as it must be to be noticed among the others.
  everything: (scale) =>
    (['heavy', 'growing', 'files', 'labels', 'copies'] as const).flatMap((name) => HOSTILE_ROWS[name](scale)),
} satisfies Readonly<Record<string, (scale: Scale) => readonly Row[]>> as Readonly<
  Record<CatalogueName, (scale: Scale) => readonly Row[]>
>;

export type CatalogueName = 'plain' | 'heavy' | 'growing' | 'files' | 'labels' | 'copies' | 'everything';

let folder: string | undefined;
const built = new Map<string, Promise<string>>();

/** The file of a hostile catalogue, made when it is first asked for, and removed when the process ends. */
export function hostileCatalogue(name: CatalogueName, scale: Scale): Promise<string> {
  folder ??= newFolder();
  const database = join(folder, `${name}-${scale}.db`);
  // What a load cuts or leaves out is told by warnings: hostile rows have much of that.
  const making =
    built.get(database) ??
    buildCatalogue({
      database,
      sources: [[...trialRows(randomNumbers(34), ORDINARY), ...HOSTILE_ROWS[name](scale)]],
      semantic: false,
    }).then(() => database);
  built.set(database, making);
  return making;
}

function newFolder(): string {
  const made = mkdtempSync(join(tmpdir(), 'skill-discovery-attacks-'));
  process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** A published skill of as many bytes as a skill may have. */
function heavyRow(name: (typeof HEAVY)[number]): Row {
  const random = randomNumbers(HEAVY_BYTES);
  const bytes = {
    'heavy-text': () => Buffer.alloc(HEAVY_BYTES, 'release notes of a data pipeline\n'),
    // JSON needs six characters for each.
    'heavy-escapes': () => Buffer.alloc(HEAVY_BYTES, '\u0001'),
    'heavy-bytes': () => Buffer.from(Uint32Array.from({ length: HEAVY_BYTES / 4 }, () => random() * 2 ** 32).buffer),
  }[name]();
  const description = `Reads a ${name.replace('-', ' ')} file.`;
  const main = Buffer.from(`---\nname: ${name}\ndescription: ${description}\n---\nRead data.txt.\n`);
  return { id: name, name, description, files: [wholeFile('SKILL.md', main), wholeFile('data.txt', bytes)] };
}

/** U+FDFA, one character of which NFKC makes 18. */
function growingRow(number: number): Row {
  // No text is known from another one.
  const text = `${'\ufdfa'.repeat(60)}${number}`.repeat(60);
  return {
    id: `growing-${number}`,
    name: `kubernetes grafana ${number} ${text}`,
    description: `kubernetes grafana ${text}`,
    author: `${text.slice(0, 100)}${number}`,
    files: [{ filename: 'SKILL.md', text: `kubernetes grafana ${number} ${text.repeat(5)}` }],
  };
}

/**
 * A letter with thousands of marks above and below in turn. Normalising sorts them, which takes time by the square of
 * their number.
 */
function markedRow(number: number): object {
  const marks = (count: number): string => `a${'\u0300\u0316'.repeat(count / 2)}${number}`;
  return {
    id: `marked-${number}`,
    name: `marks ${marks(150)}`,
    description: `combining marks ${marks(3800)}`,
    files: [{ filename: 'SKILL.md', text: `combining ${number % 10 === 0 ? marks(20_000) : ''} marks` }],
  };
}

/** A published skill of as many files as one may have, of a costly front matter and of a text that is costly to show. */
function filesRow(number: number): object {
  const name = `files-${number}`;
  const description = 'A skill of many files.';
  const metadata = Array.from({ length: 500 }, (_, i) => `  key-${i}: "value"`).join('\n');
  const text = `${'> '.repeat(50)}[a](b)\n\n${'*a _b_ `c` '.repeat(1500)}\n\n${'| a '.repeat(300)}|\n${'|---'.repeat(300)}|\n`;
  const main = `---\nname: ${name}\ndescription: ${description}\nmetadata:\n${metadata}\n---\n${text.repeat(3)}`;
  // Escaped, an address has nine times as many characters.
  const folder = '\u6570'.repeat(20);
  // A page of a list has few skills of many files, and many of few.
  const files = Array.from({ length: number % 30 === 0 ? 500 : 1 }, (_, i) => {
    return wholeFile(`${i % 20}/${folder}-${i}.md`, Buffer.from(`file ${number} ${i}`));
  });
  return { id: name, name, description, files: [wholeFile('SKILL.md', Buffer.from(main)), ...files] };
}

/** As many installations as a skill may have, the same for all that have them. */
const INSTALLATIONS = Array.from({ length: 64 }, (_, i) =>
  ['project', 'user', 'plugin', 'system'].map((scope) => ({ agent: `common-${i}`, scope })),
).flat();

function labelledRow(number: number): Row {
  const labels = (kind: string): string[] => Array.from({ length: 100 }, (_, i) => `${kind}-${number}-${i}`);
  return {
    id: `labelled-${number}`,
    name: `labelled ${number}`,
    description: `A skill of many labels, ${number}.`,
    categories: labels('category'),
    ...(number % 5 === 1 && { installations: INSTALLATIONS }),
    ...(number % 5 === 0 && {
      occupations: labels('occupation'),
      tags: labels('tag'),
      installations: labels('agent').map((agent, i) => ({ agent, scope: i % 2 === 0 ? 'user' : 'project' })),
    }),
  };
}

function copiedRow(number: number): Row {
  return { id: `copy-${number}`, name: 'one and the same', description: 'A skill of which there are many copies.' };
}
