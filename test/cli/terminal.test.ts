import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { chooseAgents, fitColumns, keptCode, oneLine, widthOf, wrapRanges } from '../../src/cli/index.js';
import { buildCatalogue } from '../../src/index.js';
import { row } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { ATTACK, linesOf, outOf, UNSAFE } from './run-captured.js';

describe('an answer', () => {
  test.each([
    ['y', ['codex', 'cursor']],
    ['YES', ['codex', 'cursor']],
    ['', undefined],
    ['n', undefined],
    ['no', undefined],
    ['cursor', ['cursor']],
    [' cursor, codex ', ['cursor', 'codex']],
  ])('of %j is understood', async (answer, chosen) => {
    expect(await chooseAgents(['codex', 'cursor'], async () => answer, expect.unreachable)).toEqual(chosen);
  });

  test('that is not understood is asked for again', async () => {
    const answers = ['claude\u001b[2J', ' , ', 'codex'];
    const told: string[] = [];
    const chosen = await chooseAgents(
      ['codex'],
      async () => answers.shift()!,
      (line) => told.push(line),
    );
    expect(chosen).toEqual(['codex']);
    expect(told).toEqual(['claude [2J is none of codex.', ', is none of codex.']);
  });
});

test('text of a catalogue becomes one line without anything that a terminal acts on', () => {
  expect(oneLine('  a\n\u001b[31mb\u009b\t\u202ec\u2028d  ')).toBe('a [31mb c d');
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
      expect(oneLine(text)).not.toMatch(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c]/u);
    }),
  );
});

describe('columns', () => {
  const anyText = fc.string({ unit: 'grapheme', maxLength: 60 });
  const anyColumns = fc.integer({ min: 2, max: 40 });
  const words = fc
    .array(fc.constantFrom('a', 'skill', '测试技能', 'テスト', 'x'.repeat(30), '👩‍👩‍👧', 'e\u0301', '—', '.'), {
      maxLength: 20,
    })
    .map((parts) => parts.join(' '));

  test('cut a text to what fits, with an ellipsis only where something is left out', () => {
    expect(fitColumns('技能测试', 8)).toBe('技能测试');
    expect(fitColumns('技能测试', 7)).toBe('技能测…');
    expect(fitColumns('技能测试', 6)).toBe('技能…');
    fc.assert(
      fc.property(anyText, anyColumns, (text, columns) => {
        const cut = fitColumns(text, columns);
        expect(widthOf(cut)).toBeLessThanOrEqual(columns);
        expect(cut === text || (cut.endsWith('…') && text.startsWith(cut.slice(0, -1)))).toBe(true);
      }),
    );
  });

  test('breaks a text between words, and a word only where it is longer than a line', () => {
    const wrap = (text: string, columns: number): string[] =>
      wrapRanges(text, columns).map(([start, end]) => text.slice(start, end).trimEnd());
    expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrap('one two, (three).', 9)).toEqual(['one two,', '(three).']);
    expect(wrap('one two, (three).', 7)).toEqual(['one', 'two, (t', 'hree).']);
    expect(wrap('notes: 数据分析工具', 12)).toEqual(['notes: 数据', '分析工具']);
    expect(wrap('see git-log-tidy', 12)).toEqual(['see', 'git-log-tidy']);
    expect(wrap('abcdefghij kl', 4)).toEqual(['abcd', 'efgh', 'ij', 'kl']);
    expect(wrap('数据分析工具', 5).every((line) => widthOf(line) <= 5)).toBe(true);
    expect(wrap('', 7)).toEqual([]);
    expect(wrap('   ', 7)).toEqual([]);
  });

  test('breaks any text into lines that fit and that hold all of it but white space', () => {
    fc.assert(
      fc.property(words, anyColumns, (whole, columns) => {
        const lines = wrapRanges(whole, columns).map(([start, end]) => whole.slice(start, end));
        for (const line of lines) expect(widthOf(line.trimEnd())).toBeLessThanOrEqual(columns);
        expect(lines.join('').replaceAll(' ', '')).toBe(whole.replaceAll(' ', ''));
      }),
    );
  });
});

describe('the columns of a text', () => {
  test('are those that the package counts, for each character', () => {
    const wrong: string[] = [];
    for (let code = 0; code <= 0x1ffff; code++) {
      const character = String.fromCodePoint(code);
      if (widthOf(character) !== stringWidth(character)) wrong.push(code.toString(16));
    }
    expect(wrong).toEqual([]);
  });

  test('are those that the package counts, for characters that join others', () => {
    const parts = ['a', 'é', '★', '…', '技', 'テ', '한', '✅', '😀', '🚀', '©', '1', '⚠', '→', 'ﾊ', 'य', ' '];
    const joining = ['\ufe0f', '\u200d', '\u20e3', '\u0301', '\u3099', 'ﾞ', '\u11a8', '🏽', '🇩', '\u001b[1m'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts, ...parts, ...joining), { maxLength: 8 }), (characters) => {
        const text = characters.join('');
        expect(widthOf(text)).toBe(stringWidth(text));
      }),
      { numRuns: 2000 },
    );
  });
});

test('what a terminal would act on in a catalogue is printed by no command, and is data in JSON', async () => {
  const database = scratchFile('skills.db');
  const text = `alpha ${ATTACK} omega`;
  const hostile = {
    ...row(`id-${ATTACK}`, { name: text, author: text, description: text, categories: [text] }),
    ...{ codehostUrl: `https://x/${text}`, license: text, compatibility: text, 'allowed-tools': text },
    files: [
      { filename: 'SKILL.md', text: `needle ${text}` },
      { filename: `r${ATTACK}.md`, text: `pin ${text}` },
    ],
  };
  await buildCatalogue({ semantic: false, database, sources: [[hostile]] });
  const run = async (...words: string[]): Promise<string> => {
    const out = await outOf([...words, '--database', database]);
    expect(out).not.toMatch(UNSAFE);
    // The text of a file has lines of its own.
    if (words[0] !== 'show') expect(linesOf(out).filter((line) => line.startsWith('forged'))).toEqual([]);
    return out;
  };
  for (const q of ['alpha', 'needle', 'pin', 'omega']) expect(await run('search', q, '--explain')).toContain('1 skill');
  await run('list', '--facets', 'author,category');
  const [hit] = JSON.parse(await run('search', 'alpha', '--json')).hits;
  // A load takes NUL and the like away.
  expect(hit.skill.description).toBe(text);
  await run('show', hit.skill.id);
});

describe('kept code', () => {
  const require = createRequire(import.meta.url);

  /** A bundle of files, and where its code is kept. */
  function bundleOf(files: Readonly<Record<string, string>>) {
    const bundle = scratchFolder();
    const path = join(scratchFolder(), 'search');
    const write = (file: string, source: string): void => writeFileSync(join(bundle, file), source);
    for (const [file, source] of Object.entries(files)) write(file, source);
    /** What a file exports, in a start of its own that keeps its code. */
    const start = (file: string): Record<string, unknown> => {
      const code = keptCode(require, { bundle, path });
      const exported = code.require(`./${file}`);
      code.keep();
      return exported as Record<string, unknown>;
    };
    return { bundle, path, write, start };
  }

  /** Changes with every writing of the kept code. */
  const writingOf = (path: string): string => `${statSync(path).ino} ${statSync(path).mtimeMs}`;

  test('runs as what require loads: each file once, files that need each other, other modules, its place', () => {
    const { bundle, start } = bundleOf({
      'a.js': `exports.early = 1; const b = require('./b.js'); exports.b = b; exports.again = require('./b.js') === b;`,
      'b.js': `const a = require('./a.js'); exports.early = a.early; exports.join = require('node:path').join;
        exports.place = [__filename, __dirname]; exports.text = 'Zürich 技能';`,
    });
    for (const run of [1, 2]) {
      const a = start('a.js');
      expect([run, a['again']]).toEqual([run, true]);
      const text = 'Zürich 技能';
      expect(a['b']).toEqual({ early: 1, join, place: [join(bundle, 'b.js'), bundle], text });
    }
  });

  test('is written once, and again where a file has changed', () => {
    const { path, write, start } = bundleOf({ 'a.js': 'exports.a = 1;', 'b.js': 'exports.b = 1;' });
    start('a.js');
    const first = writingOf(`${path}-a.js`);
    start('a.js');
    start('b.js');
    expect(writingOf(`${path}-a.js`)).toBe(first);
    // As long as before: V8 itself would not notice.
    write('a.js', 'exports.a = 2;');
    expect(start('a.js')).toEqual({ a: 2 });
    expect(writingOf(`${path}-a.js`)).not.toBe(first);
    expect(start('a.js')).toEqual({ a: 2 });
  });

  test('is not run where it is damaged, wherever that is', () => {
    const { path: prefix, start } = bundleOf({ 'a.js': `exports.a = (() => 'a')();` });
    const path = `${prefix}-a.js`;
    start('a.js');
    const whole = readFileSync(path);
    for (let at = 0; at < whole.length; at += Math.ceil(whole.length / 40)) {
      const damaged = Buffer.from(whole);
      damaged[at]! ^= 0x55;
      writeFileSync(path, damaged);
      const before = writingOf(path);
      expect(start('a.js')).toEqual({ a: 'a' });
      expect([at, writingOf(path)]).not.toEqual([at, before]);
    }
    for (const end of [0, 3, 8, 30, whole.length - 1]) {
      writeFileSync(path, whole.subarray(0, end));
      expect(start('a.js')).toEqual({ a: 'a' });
    }
  });

  test.skipIf(process.platform === 'win32')('is not run where others may have written it', () => {
    const { path: prefix, start } = bundleOf({ 'a.js': 'exports.a = 1;' });
    const path = `${prefix}-a.js`;
    start('a.js');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    chmodSync(path, 0o666);
    const before = writingOf(path);
    expect(start('a.js')).toEqual({ a: 1 });
    expect(writingOf(path)).not.toBe(before);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('imports packages, which kept code cannot do by itself', async () => {
    const { start } = bundleOf({ 'a.js': `exports.path = require.import('node:path');` });
    expect(await start('a.js')['path']).toMatchObject({ join });
  });

  test('leaves errors as they are', () => {
    const { bundle, path } = bundleOf({ 'a.js': `throw new Error('a broke');` });
    const code = keptCode(require, { bundle, path });
    expect(() => code.require('./none.js')).toThrow(/ENOENT/);
    expect(() => code.require('./a.js')).toThrow('a broke');
  });
});
