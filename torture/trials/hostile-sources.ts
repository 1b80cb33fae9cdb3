import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { ChildProgram } from '../child-program.js';
import type { HostileLoad } from '../programs/hostile-load.js';
import { oneOf, randomInteger, type Trial } from '../trial.js';

/** Memory that a hostile source may take beside an ordinary one, in megabytes. */
const MORE_MEGABYTES = 200;

/** Rows after which the event loop has had a turn. */
const ROWS_A_TURN = 1000;

/** Rows of the ordinary source, and words of each: 20 MB, of which an index is made. No hostile one has more. */
const ORDINARY_ROWS = 400;
const ORDINARY_WORDS = 8000;

const MEBIBYTE = 1024 * 1024;

/** Must be in no catalogue and no report. */
const SECRET = 'secret-owner';

type Random = () => number;

/** Makes a hostile source in a folder, and gives its path. */
type Maker = (folder: string, random: Random) => string | Promise<string>;

/**
 * Loads sources that somebody made to take memory, time or secrets: gzip bombs, rows of brackets, front matter of
 * commas, odd folders, and repositories that lead git elsewhere.
 */
export const HOSTILE_SOURCES: Trial = {
  name: 'hostile-sources',
  promise:
    'Loading any source takes at most 200 MB more memory than an ordinary one, gives the event loop its turns, and tells nothing of other repositories of the machine.',
  begin: async ({ random, folder }) => {
    const catalogues = mkdtempSync(join(folder, 'catalogues-'));
    const child = new ChildProgram('hostile-load', [catalogues]);
    const ordinary = join(folder, 'ordinary.jsonl');
    writeFileSync(ordinary, Array.from({ length: ORDINARY_ROWS }, () => ordinaryRow(random)).join(''));
    const names = Object.keys(MAKERS);
    const first = randomInteger(random, names.length);
    const facts = { 'megabytes more than ordinary': 0, 'by a source of': 'none' };
    let usual: number | undefined;
    const attempt = async (number: number): Promise<undefined> => {
      usual ??= (await child.ask<HostileLoad>(ordinary)).megabytes;
      // All in turn, so that a long run has tried each.
      const name = names[(first + number) % names.length]!;
      const place = mkdtempSync(join(folder, 'source-'));
      const load = await child.ask<HostileLoad>(await MAKERS[name]!(place, random), 240_000);
      check(name, load, usual);
      const more = load.megabytes - usual;
      if (more > facts['megabytes more than ordinary']) {
        Object.assign(facts, { 'megabytes more than ordinary': more, 'by a source of': name });
      }
      rmSync(place, { recursive: true, force: true });
    };
    return { facts, attempt, end: () => child.end() };
  },
};

function check(name: string, { megabytes, turns, rows, shown }: HostileLoad, usual: number): void {
  if (megabytes > usual + MORE_MEGABYTES) {
    throw new Error(`${name}: ${megabytes} MB, where an ordinary source takes ${usual}`);
  }
  if (turns < rows / ROWS_A_TURN) throw new Error(`${name}: ${turns} turns of the event loop during ${rows} rows`);
  if (shown.includes(SECRET)) throw new Error(`${name}: what is private is shown: ${shown.slice(0, 2000)}`);
}

const MAKERS: Readonly<Record<string, Maker>> = {
  'blanks in gzip': (folder, random) => packed(folder, oneOf(random, [' ', '\n', '\t', ' \n']), 40 + 200 * random()),
  'lines in gzip': (folder, random) => packed(folder, oneOf(random, ['x\n', '{}\n', '[]\n', '1\n']), 1 + 2 * random()),
  'a line in gzip': (folder, random) =>
    packed(folder, oneOf(random, ['x', '[', '{"a":', '"', '\\"']), 40 + 60 * random()),
  'an array in gzip': (folder, random) => packed(folder, oneOf(random, ['1,', '{},', '[],', ',', '"a",']), 1, '['),
  'a large row': (folder, random) => {
    const text = oneOf(random, ['a', '字', '\\n', '\\u0000', ' ', '\\ud800']);
    const field = oneOf(random, ['name', 'description', 'author', 'place', 'codehostUrl', 'license', 'updatedAt']);
    const value = `"${text.repeat(Math.floor(((2 + 28 * random()) * MEBIBYTE) / Buffer.byteLength(text)))}"`;
    return file(folder, `{"name":"skill","description":"skill","${field}":${value}}\n`);
  },
  'a row of many values': (folder, random) => {
    const value = oneOf(random, ['{}', '[]', '1', '"a"', '{"filename":"f","text":""}', 'null']);
    const field = oneOf(random, ['files', 'categories', 'metadata', 'allowed-tools', 'frontMatter', 'other']);
    const count = randomInteger(random, 2_000_000);
    return file(folder, `{"name":"skill","description":"skill","${field}":[${`${value},`.repeat(count)}1]}\n`);
  },
  'a deep row': (folder, random) => {
    const [open, close] = oneOf(random, [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const);
    const depth = randomInteger(random, 90_000);
    const value = `${open.repeat(depth)}1${close.repeat(depth)}`;
    return file(folder, `{"name":"skill","description":"skill","metadata":{"__proto__":${value}}}\n`);
  },
  'a sparse file': (folder, random) => {
    const path = file(folder, row('skill'));
    truncateSync(path, Math.floor((1 + random()) * 200 * MEBIBYTE));
    return path;
  },
  'front matter': (folder, random) => {
    const pieces = [',', '[', '{', ']', ': ', '? ', '- ', '&a ', '*a, ', '"', '!x ', '\n', 'a: b\n', '#\n', '%\n'];
    const text = `${oneOf(random, pieces)}${oneOf(random, ['', oneOf(random, pieces)])}`;
    const head = oneOf(random, ['a: [', 'a: {', 'a: ', '']);
    const block = head + text.repeat(Math.floor(((1 + random()) * MEBIBYTE) / 2 / text.length));
    return skills(folder, 5, `---\nname: skill\n${block}\n---\nskill\n`);
  },
  'a bomb of aliases': (folder, random) => {
    const width = 2 + randomInteger(random, 9);
    const lines = ['a0: &a0 [x, x]'];
    for (let i = 1; i < 30; i++) lines.push(`a${i}: &a${i} [${`*a${i - 1}, `.repeat(width)}]`);
    return skills(folder, 5, `---\nname: skill\n${lines.join('\n')}\n---\n`);
  },
  'many files': (folder, random) => {
    skills(folder, 1, '---\nname: skill\ndescription: skill\n---\n');
    for (let i = randomInteger(random, 3000); i > 0; i--)
      writeFileSync(join(folder, `0/${i}`), oneOf(random, ['\0', 'x']));
    return folder;
  },
  'large files': (folder, random) => {
    skills(folder, 10, '---\nname: skill\ndescription: skill\n---\n');
    for (let i = 0; i < 10; i++) {
      for (let k = randomInteger(random, 20); k > 0; k--)
        writeFileSync(join(folder, `${i}/${k}`), '字'.repeat(349_000));
    }
    return folder;
  },
  'a sparse SKILL.md': (folder) => {
    skills(folder, 3, '');
    for (let i = 0; i < 3; i++) truncateSync(join(folder, `${i}/SKILL.md`), 2 ** 40);
    return folder;
  },
  'a repository': (folder, random) => {
    const other = join(folder, 'private');
    repository(other, `https://private.example/${SECRET}/repository`);
    const own = join(folder, 'source', 'r');
    repository(own, 'https://host.example/owner/repository');
    const attacks = 1 + randomInteger(random, 3);
    for (let i = 0; i < attacks; i++) oneOf(random, REPOSITORY_ATTACKS)(join(own, '.git'), join(other, '.git'), random);
    return join(folder, 'source');
  },
};

/** Spoils a repository. Any of them may find what another one has left. */
const REPOSITORY_ATTACKS: readonly ((dotGit: string, other: string, random: Random) => void)[] = [
  (dotGit, other, random) => {
    const value = oneOf(random, ['/dev/zero', `${other}/config`, '/', '/proc/self/environ']);
    const keys =
      'diff.orderFile core.attributesFile core.worktree include.path includeIf "gitdir:/".path mailmap.file core.excludesFile';
    const [section, key] = oneOf(random, keys.split(/ (?!")/)).split('.');
    attempt(() => writeFileSync(join(dotGit, 'config'), `[${section}]\n\t${key} = ${value}\n`, { flag: 'a' }));
  },
  (dotGit, other, random) => {
    const names =
      'config HEAD packed-refs shallow index commondir info/grafts info/attributes objects objects/info/alternates objects/pack refs/heads/main refs/heads/master refs/replace';
    const name = oneOf(random, names.split(' '));
    const path = join(dotGit, name);
    attempt(() => rmSync(path, { recursive: true, force: true }));
    attempt(() => mkdirSync(join(path, '..'), { recursive: true }));
    attempt(
      oneOf(random, [
        () => symlinkSync('/dev/zero', path),
        () => symlinkSync(join(other, name), path),
        () => execFileSync('mkfifo', [path]),
        () => writeFileSync(path, `${other}\n`),
        () => writeFileSync(path, Buffer.from(Array.from({ length: 200 }, () => randomInteger(random, 256)))),
        () => truncateSync(path, 2 ** 40),
      ]),
    );
  },
  (dotGit, other, random) => {
    attempt(() => rmSync(dotGit, { recursive: true, force: true }));
    attempt(oneOf(random, [() => symlinkSync(other, dotGit), () => writeFileSync(dotGit, `gitdir: ${other}\n`)]));
  },
];

/** What one attack did may be in the way of the next. */
function attempt(work: () => unknown): void {
  try {
    work();
  } catch {
    // Then the repository stays as it is.
  }
}

function repository(folder: string, remote: string): void {
  skills(folder, 1, '---\nname: skill\ndescription: skill\n---\n');
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgSign=false'];
  for (const args of [
    ['init', '-q'],
    ['remote', 'add', 'origin', remote],
    ['add', '-A'],
    ['commit', '-q', '-m', 'x'],
  ]) {
    execFileSync('git', ['-C', folder, ...who, ...args], { stdio: 'ignore' });
  }
}

function ordinaryRow(random: Random): string {
  const words = Array.from({ length: ORDINARY_WORDS }, () => `w${randomInteger(random, 20_000)}`);
  const files = [{ filename: 'SKILL.md', text: words.join(' ') }];
  return `${JSON.stringify({ name: words[0], description: 'ordinary', files })}\n`;
}

function row(name: string): string {
  return `{"name":"${name}","description":"about ${name}"}\n`;
}

function file(folder: string, text: string): string {
  const path = join(folder, 'rows.jsonl');
  writeFileSync(path, text);
  return path;
}

function skills(folder: string, count: number, text: string): string {
  for (let i = 0; i < count; i++) {
    mkdirSync(join(folder, String(i)), { recursive: true });
    writeFileSync(join(folder, String(i), 'SKILL.md'), text);
  }
  return folder;
}

/** A gzip file with a text over and over, after a row. */
async function packed(folder: string, text: string, megabytes: number, before = row('skill')): Promise<string> {
  const path = join(folder, 'rows.jsonl.gz');
  const piece = text.repeat(Math.floor(MEBIBYTE / text.length));
  const pieces = [before, ...Array<string>(Math.ceil(megabytes)).fill(piece)];
  await pipeline(Readable.from(pieces), createGzip({ level: 1 }), createWriteStream(path));
  return path;
}
