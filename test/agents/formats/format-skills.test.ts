import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  countTokens,
  type FormattableSkill,
  formatSkills,
  SKILL_FORMATS,
  type SkillFormat,
  toolNameOf,
} from '../../../src/agents/formats/index.js';
import { textSize } from '../../../src/agents/formats/text-size.js';
import { openSkillSearch } from '../../../src/index.js';
import { codeOf } from '../../error-code.js';
import { row } from '../../rows.js';

const skill = (id: string, description: string, more: Partial<FormattableSkill> = {}): FormattableSkill => ({
  id,
  name: id,
  description,
  ...more,
});

const THREE = [
  skill('one', 'First of one. Second of one. Third of one.'),
  skill('two', 'First of two. Second of two.'),
  skill('three', 'First of three.'),
];

const HOSTILE = [
  '</skill></available_skills>',
  '```\nrm',
  '[a](http://x)',
  '**',
  '_',
  '"},{"',
  '\\',
  '&lt;',
  '-->',
  '\u2028',
  '\u202e',
  '\u0007',
  '\r\n- **x**',
  '<!--',
  '\u200b',
  '\ud800',
  '\u{e0041}',
  '`',
  'plain words. ',
  '第一句。第二句。',
  '🦊',
  ' ',
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary' }), fc.lorem()))
  .map((all) => all.join(''));
const skills = fc.array(fc.record({ id: fc.string({ minLength: 1 }), name: text, description: text }), {
  maxLength: 8,
});
const format = fc.constantFrom(...SKILL_FORMATS);

describe('a budget', () => {
  test('is never exceeded, whatever the text, the format and the budget', () => {
    fc.assert(
      fc.property(skills, format, fc.nat(400), (list, as, maxTokens) => {
        const result = formatSkills(list, { format: as, maxTokens });
        expect(result.tokens).toBe(countTokens(result.text));
        expect(result.tokens).toBeLessThanOrEqual(maxTokens);
        expect(result.shown + result.leftOut).toBe(list.length);
      }),
      { numRuns: 150 },
    );
  });

  test.each(SKILL_FORMATS)('as %s: each more token shows no fewer skills, until all is there', (as) => {
    const all = formatSkills(THREE, { format: as });
    let before = 0;
    for (let maxTokens = 0; maxTokens <= all.tokens; maxTokens++) {
      const { shown, tokens, text: written } = formatSkills(THREE, { format: as, maxTokens });
      expect(tokens).toBeLessThanOrEqual(maxTokens);
      expect(shown).toBeGreaterThanOrEqual(before);
      if (maxTokens === 0) expect(written).toBe('');
      before = shown;
    }
    expect(formatSkills(THREE, { format: as, maxTokens: all.tokens }).text).toBe(all.text);
  });

  test('gives names first, then an equal share to each description, and marks what it cut', () => {
    const long = 'several words in a row '.repeat(60).trim();
    const list = [skill('long', long), ...THREE, skill('longer', long)];
    const names = formatSkills(list, { format: 'anthropic-tool-references' }).value!.content.length;
    const seen = new Set<number>();
    for (let maxTokens = 0; maxTokens < 900; maxTokens += 7) {
      const { value, tokens } = formatSkills(list, { format: 'json', maxTokens });
      const shown = value?.skills ?? [];
      const given = shown.filter(({ description }) => description !== undefined);
      seen.add(given.length);
      // No description while a name is missing but what is left of the budget, and the first ones get it.
      if (shown.length < names) expect(given.length).toBeLessThan(2);
      expect(given).toEqual(shown.slice(0, given.length));
      for (const { id, description = '' } of given) {
        const whole = list.find((one) => one.id === id)!.description;
        if (description === whole) continue;
        expect(description).toMatch(/^.*[\w.] …$/);
        expect(whole.startsWith(`${description.slice(0, -2)} `)).toBe(true);
      }
      const [first, last] = [shown[0]?.description ?? '', shown[4]?.description ?? ''];
      if (given.length === 5 && last !== long) {
        expect(Math.abs(first.length - last.length)).toBeLessThan(24);
        expect(maxTokens - tokens).toBeLessThan(12);
      }
    }
    expect([...seen]).toEqual(expect.arrayContaining([0, 1, 2, 3, 5]));
  });

  test('says in a number what was left out, inside the budget', () => {
    const many = Array.from({ length: 120 }, (_, i) => skill(`skill-${i}`, 'Does something.'));
    const xml = formatSkills(many, { format: 'available-skills', maxTokens: 200 });
    expect(xml.text).toContain(`<!-- ${xml.leftOut} skills left out -->`);
    expect(xml.shown).toBeGreaterThan(2);
    const list = formatSkills(many, { format: 'list', maxTokens: 200 });
    expect(list.text.split('\n').at(-1)).toBe(`(${list.leftOut} skills left out)`);
    expect(formatSkills(many, { format: 'json', maxTokens: 200 }).value?.leftOut).toBeGreaterThan(100);
    expect(formatSkills(many, { format: 'list', maxTokens: 12 }).text).toBe('(120 skills left out)');
    expect(formatSkills(THREE, { format: 'list' }).text).not.toContain('left out');
  });
});

describe('a description that does not fit', () => {
  const words = (length: number): string => 'several words in a row '.repeat(length).slice(0, length - 1);
  const openai = (description: string): string =>
    formatSkills([skill('a', description)], { format: 'openai-tool-search-output' }).value!.tools[0]!.description!;

  test('is cut at a word, where it is longer than a format takes', () => {
    for (const length of [1023, 1024, 1025, 1030, 1100, 4000]) {
      const whole = `${words(length)}.`;
      const cut = openai(whole);
      if (length <= 1024) {
        expect(cut).toBe(whole);
        continue;
      }
      expect(cut).toMatch(/^.* (several|words|in|a|row) …$/);
      expect(whole.startsWith(`${cut.slice(0, -2)} `)).toBe(true);
      expect(cut.length).toBeGreaterThan(1024 - 10);
      expect(cut.length).toBeLessThanOrEqual(1024);
    }
  });

  test('is cut at a character, where a script has no blanks or a word is very long', () => {
    expect(openai('漢字'.repeat(600))).toBe(`${'漢字'.repeat(511)} …`);
    expect(openai('x'.repeat(2000))).toBe(`${'x'.repeat(1022)} …`);
    const family = '👩‍👩‍👧‍👦';
    expect(openai(family.repeat(200))).toBe(`${family.repeat(Math.floor(1022 / family.length))} …`);
  });
});

describe('text of a skill changes nothing outside its field', () => {
  /** The text with each field of its own replaced by a word: what is left must not depend on the fields. */
  const skeleton = (as: SkillFormat, written: string): string =>
    as === 'available-skills'
      ? written.replace(/>[^<>]*</g, '><')
      : as === 'list'
        ? written.replace(/(?<=^- \*\*).*$/gm, '')
        : JSON.stringify(JSON.parse(written), (_, value) => (typeof value === 'string' ? '' : value));

  test.each(['available-skills', 'list', 'json', 'openai-tool-search-output'] as const)('as %s', (as) => {
    fc.assert(
      fc.property(text, text, (name, description) => {
        const plain = formatSkills([skill('a', `x${'y'}`), skill('b', 'z')], { format: as }).text;
        const filled = [skill('a', `x${description}`, { name: `n${name}` }), skill('b', 'z')];
        const { text: written } = formatSkills(filled, { format: as });
        expect(skeleton(as, written)).toBe(skeleton(as, plain));
        expect(written).not.toMatch(
          /[\p{Cc}\u2028-\u202e\u2066-\u2069\u200b]/u.exec(written.replaceAll('\n', ''))?.[0] ?? /(?!)/,
        );
      }),
      { numRuns: 100 },
    );
  });

  test('in a list no code, link, emphasis or tag begins', () => {
    const { text: written } = formatSkills([skill('a', '`x` [l](u) *e* _e_ <b> snake_case', { name: '# `n' })], {
      format: 'list',
    });
    expect(written).toBe('- **# \\`n** (a): \\`x\\` \\[l\\](u) \\*e\\* \\_e\\_ \\<b\\> snake_case');
  });
});

describe('the formats', () => {
  const ONE = skill('acme-pdf', 'Fills in forms & more.', {
    skillUrl: 'https://example.org/pdf',
    codehostUrl: 'unknown',
  });

  test('available-skills is the XML of the specification', () => {
    expect(formatSkills([ONE], { format: 'available-skills' }).text).toBe(
      '<available_skills>\n<skill><name>acme-pdf</name><description>Fills in forms &amp; more.</description>' +
        '<location>https://example.org/pdf</location></skill>\n</available_skills>',
    );
    expect(formatSkills([], { format: 'available-skills' })).toMatchObject({
      text: '',
      shown: 0,
      leftOut: 0,
      tokens: 0,
    });
  });

  test('the location is the folder, the URL or the id, or what the caller says', () => {
    const locationIn = (one: FormattableSkill): string | undefined =>
      formatSkills([one], { format: 'json' }).value?.skills[0]?.location;
    expect(locationIn({ ...ONE, localPath: '/skills/pdf' })).toBe('/skills/pdf/SKILL.md');
    expect(locationIn({ ...ONE, skillUrl: 'unknown', codehostUrl: 'https://github.com/a/b' })).toBe(
      'https://github.com/a/b',
    );
    expect(locationIn(skill('bare', 'x'))).toBe('bare');
    const location = ({ id }: FormattableSkill): string => `skill://${id}/SKILL.md`;
    expect(formatSkills([ONE], { format: 'list', location }).text).toBe(
      '- **acme-pdf** (skill://acme-pdf/SKILL.md): Fills in forms & more.',
    );
  });

  test('anthropic-tool-references is a tool_result', () => {
    const { value, text: written } = formatSkills([ONE], { format: 'anthropic-tool-references', callId: 'toolu_1' });
    expect(value).toEqual({
      type: 'tool_result',
      tool_use_id: 'toolu_1',
      content: [{ type: 'tool_reference', tool_name: 'acme-pdf' }],
    });
    expect(JSON.stringify(value)).toBe(written);
    expect(formatSkills([], { format: 'anthropic-tool-references' }).value).toEqual({
      type: 'tool_result',
      content: [],
    });
  });

  test('openai-tool-search-output is an answer to a tool_search_call', () => {
    const { value } = formatSkills([ONE], { format: 'openai-tool-search-output', callId: 'call_1' });
    expect(value).toEqual({
      type: 'tool_search_output',
      call_id: 'call_1',
      execution: 'client',
      status: 'completed',
      tools: [
        {
          type: 'function',
          name: 'acme-pdf',
          description: 'Fills in forms & more.',
          parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
          strict: true,
          defer_loading: true,
        },
      ],
    });
    const long = formatSkills([skill('a', 'A sentence. '.repeat(200))], { format: 'openai-tool-search-output' });
    expect(long.value?.tools[0]?.description?.length).toBeLessThanOrEqual(1024);
    expect(long.value?.tools[0]?.description?.length).toBeGreaterThan(1000);
  });

  test('a tool has the same name always, one that both model APIs take, and another than other tools', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (a, b) => {
        expect(toolNameOf({ id: a })).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        expect(toolNameOf({ id: a }) === toolNameOf({ id: b })).toBe(a === b);
      }),
    );
    const hashed = toolNameOf({ id: 'a.b' });
    expect(toolNameOf({ id: hashed })).not.toBe(hashed);
    expect(toolNameOf({ id: 'x'.repeat(250) })).toHaveLength(64);
  });

  test('take the hits of both searches', async () => {
    await using search = await openSkillSearch({
      skills: [row('pdf', { name: 'pdf-forms', description: 'Fills in forms.' })],
    });
    const { hits } = search.keyword({ q: 'forms' });
    const found = await search.semantic({ q: 'forms', ranking: 'words' });
    expect(formatSkills(hits, { format: 'list' }).text).toBe('- **pdf-forms** (pdf): Fills in forms.');
    expect(formatSkills(found.hits, { format: 'list' }).text).toBe('- **pdf-forms** (pdf): Fills in forms.');
  });

  test('and budgets that are none are errors that say what was expected', async () => {
    const wrong = (options: object): Promise<unknown> => codeOf(() => formatSkills([], options as { format: 'list' }));
    for (const options of [
      {},
      { format: 'xml' },
      { format: 'list', maxTokens: -1 },
      { format: 'list', maxTokens: 1.5 },
      { format: 'list', tokens: 1 },
      { format: 'list', callId: 7 },
      { format: 'list', location: 5 },
    ]) {
      expect(await wrong(options)).toBe('INVALID_OPTION');
    }
  });
});

const as = { format: 'list' } as const;
const ONE = skill('a', 'x');

test.each<[given: unknown, message: string]>([
  [null, 'skills must be an array of skills or hits, got null'],
  [[ONE, 'b'], 'skills[1] must be a skill or a hit, got "b"'],
  [new Array(1), 'skills[0] must be a skill or a hit, got undefined'],
  [[ONE, { ...ONE, name: 5 }], 'skills[1].name must be a string, got 5'],
  [[{ skill: { id: 'a', name: 'a' } }], 'skills[0].skill.description must be a string, got undefined'],
  [[{ ...ONE, skillUrl: null }], 'skills[0].skillUrl must be a string or left out, got null'],
])('what is no skill is an error that says what was expected, what came and where %j', (given, message) => {
  expect(() => formatSkills(given as [], as)).toThrow(
    expect.objectContaining({ name: 'SkillSearchError', code: 'INVALID_PARAMETER', message }),
  );
});

describe('count tokens', () => {
  /** Texts with their counts by o200k and cl100k, as counted with the package gpt-tokenizer. */
  const COUNTED: readonly (readonly [text: string, o200k: number, cl100k: number])[] = [
    ['Überprüfung größerer Straßenkarten', 6, 11],
    ['Zażółć gęślą jaźń', 11, 12],
    ['中文'.repeat(20), 20, 40],
    ['한글'.repeat(20), 40, 40],
    ['ゟ'.repeat(10), 20, 20],
    ['ქართული ტექსტი', 4, 27],
    ['שלום עולם זה טקסט', 6, 21],
  ];

  test.each(COUNTED)('%s counts at least as much as with the tokenizers of other models', (text, o200k, cl100k) => {
    expect(countTokens(text)).toBeGreaterThanOrEqual(Math.max(o200k, cl100k));
  });

  test('a text counts by its length, whatever it is made of, though the vocabulary knows none of it', () => {
    expect(countTokens('')).toBe(0);
    for (const unit of ['🎉', 'ᚠ', 'q7Xz', '\u0301', '\u0000', '\u200b', '\u{e0041}', '\ud800', '龘', 'ไทย']) {
      const once = countTokens(unit.repeat(100));
      expect(once).toBeGreaterThanOrEqual(40);
      expect(countTokens(unit.repeat(1000))).toBeGreaterThan(8 * once);
    }
  });

  test('texts that meet in a sign are as large together as the sum of their sizes', () => {
    const texts = fc.array(
      fc.oneof(fc.string({ unit: 'binary' }), fc.lorem(), fc.constantFrom('漢字', 'é', '🦊', '&amp;')),
    );
    fc.assert(
      fc.property(texts, (parts) => {
        const enclosed = parts.map((part) => `<${part}>`);
        expect(textSize(enclosed.join(''))).toBe(enclosed.reduce((sum, part) => sum + textSize(part), 0));
      }),
    );
  });
});

const SOURCE = fileURLToPath(new URL('../../../src', import.meta.url));
const IMPORT = /(?:^(?:import|export)\s+([^'";]*?from\s+)?|\bimport\()'([^']+)'/gm;

/** The packages that a module imports, itself or by others, types aside. */
function packagesOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)].flatMap(([, names = '', target = '']) => {
    if (names.startsWith('type ') || target.startsWith('node:')) return [];
    if (!target.startsWith('.')) return [target];
    return packagesOf(join(dirname(file), target.replace(/\.js$/, '.ts')), seen);
  });
}

test('the entry loads neither the model runtime nor SQLite, nor any other package that is large', () => {
  const packages = packagesOf(join(SOURCE, 'agents/formats/index.ts'));
  expect(packages.toSorted()).toEqual(['@huggingface/tokenizers', 'stemmer', 'tsx/esm/api']);
  expect(packagesOf(join(SOURCE, 'index.ts'))).toContain('better-sqlite3');
});
