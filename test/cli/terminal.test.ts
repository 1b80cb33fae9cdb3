import { join, resolve } from 'node:path';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import {
  ageOf,
  chooseAgents,
  fitColumns,
  manyLines,
  oneLine,
  pad,
  targetOf,
  widthOf,
  wrapRanges,
} from '../../src/cli/index.js';
import { buildCatalogue } from '../../src/index.js';
import { surroundings } from '../../src/sources/index.js';
import { row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { linesOf, runCaptured } from './run-captured.js';

describe('age', () => {
  describe('the age of a skill', () => {
    const NOW = 1_700_000_000;

    test.each([
      [0, 'unknown'],
      [-5, 'unknown'],
      [NOW + 1000, 'today'],
      [NOW, 'today'],
      [NOW - 86_399, 'today'],
      [NOW - 86_400, '1 day'],
      [NOW - 30 * 86_400, '30 days'],
      [NOW - 31 * 86_400, '1 month'],
      [NOW - 364 * 86_400, '11 months'],
      [NOW - 365 * 86_400, '1 year'],
      [NOW - 800 * 86_400, '2 years'],
    ])('of %d is %s', (updatedAt, age) => {
      expect(ageOf(updatedAt, NOW)).toBe(age);
    });
  });
});

describe('choose agents', () => {
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
});

describe('terminal text', () => {
  describe('text of a catalogue', () => {
    test('becomes one line without anything that a terminal acts on', () => {
      expect(oneLine('  a\n\u001b[31mb\u009b\t\u202ec\u2028d  ')).toBe('a [31mb c d');
      fc.assert(
        fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
          expect(oneLine(text)).not.toMatch(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c]/u);
        }),
      );
    });

    test('over several lines keeps these and nothing else that a terminal acts on', () => {
      expect(manyLines('a\r\n\tb\u001b[2J\rc\u202e \n')).toBe('a\n  b [2J\nc\n');
      fc.assert(
        fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
          expect(manyLines(text)).not.toMatch(/[^\P{Cc}\n]|[\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c]/u);
        }),
      );
    });
  });
});

describe('text columns', () => {
  const anyText = fc.string({ unit: 'grapheme', maxLength: 60 });
  const anyColumns = fc.integer({ min: 2, max: 40 });
  const words = fc
    .array(fc.constantFrom('a', 'skill', '测试技能', 'テスト', 'x'.repeat(30), '👩‍👩‍👧', 'e\u0301', '—', '.'), {
      maxLength: 20,
    })
    .map((parts) => parts.join(' '));

  describe('columns', () => {
    test('are filled up to a width, and left alone beyond it', () => {
      expect(pad('技能', 6)).toBe('技能  ');
      expect(pad('skill', 3)).toBe('skill');
    });

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
      expect(wrap('one two, (three).', 7)).toEqual(['one', 'two,', '(three)', '.']);
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

    test('breaks texts without rare characters as the rules of Unicode do', () => {
      const letters = fc.constantFrom(...'abz019 -_.,:;\'"()/&@[]{}#+*%~éßŁÖ×–—‘’“”•…→');
      const plain = fc.array(letters, { maxLength: 80 }).map((all) => all.join(''));
      fc.assert(
        fc.property(plain, anyColumns, (text, columns) => {
          // A mark that takes no column asks for the rules, and is no word.
          const byRules = wrapRanges(`${text} \u200b`, columns).map(([start, end]) => text.slice(start, end));
          const shown = (lines: string[]): string[] =>
            lines.map((line) => line.trimEnd()).filter((line) => line !== '');
          expect(shown(wrapRanges(text, columns).map(([start, end]) => text.slice(start, end)))).toEqual(
            shown(byRules),
          );
        }),
        { numRuns: 1000 },
      );
    });
  });
});

describe('text width', () => {
  describe('the columns of a text', () => {
    test('are two for East Asian characters and none for marks', () => {
      expect([widthOf('pdf'), widthOf('技能'), widthOf('テ'), widthOf('한'), widthOf('e\u0301')]).toEqual([
        3, 4, 2, 2, 1,
      ]);
    });

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
});

describe('skill folders', () => {
  const cwd = resolve('/work/project');
  const home = resolve('/home/wren');
  const AROUND = surroundings({ platform: process.platform, cwd, home, env: {} });

  describe('a skill is installed', () => {
    const projectLock = join(cwd, 'skills-lock.json');

    test.each([
      [{}, { to: join(home, '.agents', 'skills') }],
      [{ agent: 'claude-code' }, { to: join(home, '.claude', 'skills') }],
      [{ project: true }, { to: join(cwd, '.agents', 'skills'), lock: projectLock, within: cwd }],
      [
        { project: true, agent: 'claude-code' },
        { to: join(cwd, '.claude', 'skills'), lock: projectLock, within: cwd },
      ],
      [{ to: 'here' }, { to: join(cwd, 'here') }],
      [
        { to: 'here', project: true },
        { to: join(cwd, 'here'), lock: projectLock, within: cwd },
      ],
    ] as const)('with %j in %j', (flags, target) => {
      expect(targetOf(flags, AROUND)).toEqual(target);
    });
  });
});

describe('terminal safety', () => {
  /** What moves the cursor, changes colours, sets titles, or reorders a line. */
  const ATTACKS: Record<string, string> = {
    'a colour': '\u001b[31m',
    'a cleared screen': '\u001b[2J\u001b[1;1H',
    'a title': '\u001b]0;owned\u0007',
    'a link': '\u001b]8;;https://evil.example\u001b\\click\u001b]8;;\u001b\\',
    'an escape of one byte': '\u009b31m',
    'a backspace': 'x\b\b\b',
    'a carriage return': '\rforged line',
    'a line feed': '\nforged line',
    'other line ends': '\u0085forged\u2028forged\u2029forged\vforged\fforged',
    'a bidirectional override': '\u202egnp.exe\u202c',
    'a bidirectional isolate': '\u2066x\u2069\u2067y\u2069',
    'a bidirectional mark': '\u200e\u200f\u061c',
    'a delete': '\u007f',
  };

  /** Everything but line feeds that a terminal would act on. */
  const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c]/;

  describe.each(Object.entries(ATTACKS))('%s in a catalogue', (_, attack) => {
    const id = `id-${attack}`;

    async function hostileCatalogue(): Promise<string> {
      const database = scratchFile('skills.db');
      const text = `alpha ${attack} omega`;
      const hostile = {
        ...row(id, {
          name: text,
          author: text,
          description: text,
          categories: [text],
          codehostUrl: `https://x/${text}`,
        }),
        license: text,
        compatibility: text,
        'allowed-tools': text,
        files: [
          { filename: 'SKILL.md', text: `needle ${text}` },
          { filename: `r${attack}.md`, text: `pin ${text}` },
        ],
      };
      await buildCatalogue({ semantic: false, database, sources: [[hostile]] });
      return database;
    }

    test('is not printed by search', async () => {
      const database = await hostileCatalogue();
      for (const q of ['alpha', 'needle', 'pin', 'omega']) {
        const { status, out, error } = await runCaptured(['search', q, '--explain', '--database', database]);
        expect([status, error]).toEqual([0, '']);
        expect(out).toContain('1 skill');
        expect(out).not.toMatch(UNSAFE);
        expect(linesOf(out).filter((line) => line.startsWith('forged'))).toEqual([]);
      }
    });

    test('is not printed by show', async () => {
      const database = await hostileCatalogue();
      const [stored] = JSON.parse((await runCaptured(['search', 'alpha', '--json', '--database', database])).out).hits;
      const { status, out, error } = await runCaptured(['show', stored.skill.id, '--database', database]);

      expect([status, error]).toEqual([0, '']);
      expect(out).not.toMatch(UNSAFE);
    });

    test('is data in JSON, written so that a terminal does not act on it', async () => {
      const database = await hostileCatalogue();
      const { out } = await runCaptured(['search', 'alpha', '--json', '--database', database]);

      expect(out).not.toMatch(/[^\P{Cc}\n]/u);
      const [hit] = JSON.parse(out).hits;
      expect(hit.skill.description).toBe(`alpha ${attack} omega`);
    });
  });
});
