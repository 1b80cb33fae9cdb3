import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { SkillInstallation } from '../../../src/index.js';
import { checkRow, deriveId, idWithHash, type RawRow } from '../../../src/sources/index.js';
import { type RowFiles, rowFiles } from '../../../src/sources/rows/row-files.js';
import { copyKey } from '../../../src/store/stored-skill.js';

describe('row contents', () => {
  type RowFile = Readonly<Record<string, unknown>>;

  describe('the contents of a row', () => {
    const twice = (path: string): string => `files: ${path} occurs twice; the later one is kept`;
    const kept = (given: string, path: string): string => `contents: the path ${given} is kept as ${path}; incomplete`;

    it.each<[string, string[], string[], string[]]>([
      ['a path out of the skill', ['../../etc/passwd'], ['etc/passwd'], [kept('"../../etc/passwd"', 'etc/passwd')]],
      ['an absolute path', ['/etc/passwd'], ['etc/passwd'], [kept('"/etc/passwd"', 'etc/passwd')]],
      ['a path that goes up', ['a/../b.txt'], ['a/b.txt'], [kept('"a/../b.txt"', 'a/b.txt')]],
      ['backslashes', ['a\\b.txt'], ['a/b.txt'], [kept('"a\\\\b.txt"', 'a/b.txt')]],
      ['control characters', ['b\u0001\n.txt'], ['b.txt'], [kept('"b\\u0001\\n.txt"', 'b.txt')]],
      ['outer blanks', [' b .txt '], ['b .txt'], [kept('" b .txt "', 'b .txt')]],
      ['the same path', ['b.txt', 'b.txt'], ['b.txt'], [twice('b.txt')]],
      ['paths that become one', ['b.txt', '../b.txt'], ['b.txt'], [twice('b.txt'), kept('"../b.txt"', 'b.txt')]],
      ['separators', ['a/b.txt', 'a\\b.txt'], ['a/b.txt'], [twice('a/b.txt'), kept('"a\\\\b.txt"', 'a/b.txt')]],
      [
        'a file and a folder',
        ['a', 'a-b', 'a/b'],
        ['a', 'a-b', 'a/b'],
        ['contents: a is a file, and a folder of others; incomplete'],
      ],
    ])('are incomplete where a file is not kept as the row has it: %s', (_, given, paths, warnings) => {
      const { contents, warnings: told } = read(['SKILL.md', ...given].map((path, i) => whole(path, `${i}`)));
      expect(contents?.complete).toBe(false);
      expect(contents?.files.map(({ path }) => path)).toEqual(['SKILL.md', ...paths]);
      expect(told).toEqual(warnings);
    });

    it('are no whole skill with a SKILL.md from elsewhere', () => {
      const { contents, warnings } = read([whole('../SKILL.md', 'x')]);
      expect(contents).toMatchObject({ complete: false, files: [{ path: 'SKILL.md' }] });
      expect(warnings).toEqual([kept('"../SKILL.md"', 'SKILL.md')]);
    });

    it('are complete with any path that is kept as it is', () => {
      const paths = ['.gitignore', 'SKILL.md', 'a b/c.d.txt', 'a/b', 'a/c', 'ab', 'é/\u{1f600}.md'];
      const { contents, warnings } = read(paths.map((path) => whole(path, path)));
      expect(contents?.complete).toBe(true);
      expect(contents?.files.map(({ path }) => path)).toEqual(paths);
      expect(warnings).toEqual([]);
    });

    it.each([
      '.git/config',
      'a/.GIT/hooks/pre-commit',
      '.g\u200cit/config',
      '.git./config',
      'node_modules/a/b.js',
      'a/.DS_Store',
    ])('have no file that a folder would not have either: %s', (path) => {
      const { files, contents, warnings } = read([whole('SKILL.md', 'x'), whole(path, 'y')]);
      expect(contents).toMatchObject({ complete: true, files: [{ path: 'SKILL.md' }] });
      expect(contents?.files).toHaveLength(1);
      expect(warnings).toEqual([]);
      expect(files.map(({ filename }) => filename)).toEqual(['SKILL.md', path]);
    });

    it.each(['.env', 'a/.npmrc', '.ssh/id_rsa'])('are incomplete with the secrets left out: %s', (path) => {
      const { contents, warnings } = read([whole('SKILL.md', 'x'), whole('.env.example', 'y'), whole(path, 'z')]);
      expect(contents).toMatchObject({ complete: false, files: [{ path: '.env.example' }, { path: 'SKILL.md' }] });
      expect(contents?.files).toHaveLength(2);
      expect(warnings).toEqual([`contents: ${path}: may hold secrets; left out`]);
    });

    it('are at most 512 files, the SKILL.md counted first, and say how many they lack', () => {
      const files = Array.from({ length: 512 }, (_, i) => whole(`f${String(i).padStart(3, '0')}`, 'x'));
      const full = read([...files.slice(1), whole('SKILL.md', 'x')]);
      expect(full.contents).toMatchObject({ complete: true, files: { length: 512 } });
      const over = read([...files, whole('SKILL.md', 'x')]);
      expect(over.contents).toMatchObject({ complete: false, files: { length: 512 } });
      expect(over.contents?.files[0]?.path).toBe('SKILL.md');
      expect(over.warnings).toEqual(['contents: more than 512 files; 1 file is left out, from f511 on']);
    });

    it('leave what is searched as it is, and tell nothing of the paths of mere excerpts', () => {
      const { files, contents, warnings } = read([
        { filename: 'SKILL.md', text: 'x' },
        { filename: '../a\\b.txt', text: 'y' },
      ]);
      expect(files.map(({ filename }) => filename)).toEqual(['SKILL.md', 'a/b.txt']);
      expect([contents, warnings]).toEqual([undefined, []]);
    });
  });

  function whole(filename: string, text: string): RowFile {
    return { filename, text, complete: true, sha256: createHash('sha256').update(text).digest('hex') };
  }

  function read(files: readonly RowFile[]): RowFiles & { readonly warnings: string[] } {
    const warnings: string[] = [];
    return { ...rowFiles(files, 'A description.', warnings), warnings };
  }
});

describe('installations', () => {
  const HOME = resolve('/home/ada/.codex/skills/pdf');

  /** What a row with these fields becomes. */
  function checked(fields: Readonly<Record<string, unknown>>, more: Partial<RawRow> = {}) {
    const value = { name: 'pdf', description: 'fills in forms', ...fields };
    const skill = checkRow({ kind: 'row', origin: { source: 'test' }, value, ...more });
    if (skill.kind !== 'skill') throw new Error(skill.reason);
    return { installations: skill.draft.installations, warnings: skill.warnings, properties: skill.draft.properties };
  }

  describe('installations of a row', () => {
    test('are kept in their order, each once', () => {
      const one = { agent: 'codex', scope: 'user' };
      const two = { agent: 'claude-code', scope: 'plugin', plugin: 'office' };
      expect(checked({ installations: [one, two, { ...one }] })).toMatchObject({
        installations: [one, two],
        warnings: [],
      });
      expect(checked({})).toMatchObject({ installations: undefined, warnings: [] });
      expect(checked({ installations: [] })).toMatchObject({ installations: undefined, warnings: [] });
      expect(checked({ installations: null })).toMatchObject({ installations: undefined, warnings: [] });
    });

    test('have no path if the row names it itself', () => {
      const installations = [{ agent: 'codex', scope: 'user', path: HOME, other: 1 }];
      for (const more of [{}, { folder: { path: HOME, isOrigin: true } }]) {
        const found = checked({ installations }, more);
        expect(found).toMatchObject({ installations: [{ agent: 'codex', scope: 'user' }], warnings: [] });
        expect(JSON.stringify(found)).not.toContain('ada');
      }
    });

    test('have a path if the source found them, and then those of the row do not count', () => {
      const found: readonly SkillInstallation[] = [{ agent: 'codex', scope: 'user', path: HOME }];
      const named = [{ agent: 'cursor', scope: 'project' }];
      expect(checked({ installations: named }, { installations: found }).installations).toEqual(found);
      expect(checked({ installations: named }, { installations: [] }).installations).toBeUndefined();
    });

    test.each([
      ['relative', 'skills/pdf'],
      ['empty', ''],
      ['longer than 4,096 characters', resolve(`/${'x'.repeat(4096)}`)],
      ['with a lone surrogate', resolve('/a\ud800')],
      ['no text', 7 as unknown as string],
    ])('are left out with a warning if the source found a path that is %s', (_, path) => {
      const { installations, warnings } = checked({}, { installations: [{ agent: 'codex', scope: 'user', path }] });
      expect(installations).toBeUndefined();
      expect(warnings).toEqual([
        'installations: one whose path is not absolute, or no text that can be stored; left out',
      ]);
    });

    test.each<[unknown, string]>([
      ['codex', 'expected a list'],
      [{ agent: 'codex', scope: 'user' }, 'expected a list'],
      [[null], 'no object'],
      [['codex'], 'no object'],
      [[{ scope: 'user' }], 'agent is no slug'],
      [[{ agent: 'Codex', scope: 'user' }], 'agent is no slug'],
      [[{ agent: '../codex', scope: 'user' }], 'agent is no slug'],
      [[{ agent: 'a'.repeat(65), scope: 'user' }], 'agent is no slug'],
      [[{ agent: 'codex' }], 'scope is none of project, user, plugin, system'],
      [[{ agent: 'codex', scope: 'global' }], 'scope is none of'],
      [[{ agent: 'codex', scope: ['user'] }], 'scope is none of'],
    ])('that are %j are left out with a warning', (installations, warning) => {
      const found = checked({ installations });
      expect(found.installations).toBeUndefined();
      expect(found.warnings).toEqual([expect.stringContaining(warning)]);
    });

    test('lose what is more than 256, and a plugin that is no name', () => {
      const many = Array.from({ length: 300 }, (_, i) => ({ agent: `a${i}`, scope: 'user' }));
      const found = checked({ installations: many });
      expect(found.installations).toHaveLength(256);
      expect(found.warnings).toEqual(['installations: more than 256; the last 44 are left out']);
      for (const plugin of ['', ' \u001b', 5, null]) {
        const kept = checked({ installations: [{ agent: 'codex', scope: 'plugin', plugin }] }).installations;
        expect(kept).toEqual([{ agent: 'codex', scope: 'plugin' }]);
      }
      const [long] = checked({ installations: [{ agent: 'a', scope: 'plugin', plugin: `a\u001b[${'x'.repeat(300)}` }] })
        .installations!;
      expect(long!.plugin).toBe(`a[${'x'.repeat(198)}`);
    });

    test('never break the row, whatever they are', () => {
      fc.assert(
        fc.property(fc.anything(), (installations) => {
          for (const one of checked({ installations }).installations ?? []) {
            expect(Object.keys(one).sort()).toEqual(
              one.plugin === undefined ? ['agent', 'scope'] : ['agent', 'plugin', 'scope'],
            );
          }
        }),
      );
    });
  });

  describe('a model may not call a skill', () => {
    test.each([
      { frontMatter: { 'disable-model-invocation': 'true' } },
      { frontMatter: { 'disable-model-invocation': true } },
      { frontMatter: { 'disable-model-invocation': ' True ' } },
      { frontMatter: { metadata: { internal: 'true' } } },
      { frontMatter: { metadata: { internal: true } } },
      { metadata: { internal: 'TRUE' } },
      { metadata: { internal: true, version: '1' } },
    ])('that says %j', (fields) => {
      expect(checked(fields).properties).toMatchObject({ invocable: false });
    });

    test.each([
      {},
      { frontMatter: { 'disable-model-invocation': 'false' } },
      { frontMatter: { 'disable-model-invocation': 'yes' } },
      { frontMatter: { 'disable-model-invocation': ['true'] } },
      { frontMatter: { 'disable-model-invocation': null } },
      { frontMatter: { 'user-invocable': 'false' } },
      { frontMatter: { internal: 'true' } },
      { frontMatter: { metadata: 'internal: true' } },
      { frontMatter: 'disable-model-invocation: true' },
      { metadata: { internal: 'no' } },
      { metadata: ['internal'] },
      { 'disable-model-invocation': true, internal: true, invocable: false },
      { frontMatter: Object.create({ 'disable-model-invocation': true }) as object },
    ])('but may call one that says %j', (fields) => {
      expect(checked(fields).properties).not.toHaveProperty('invocable');
    });

    test('also where its front matter is too large to be kept', () => {
      const frontMatter = { a: 'x'.repeat(70_000), 'disable-model-invocation': 'true' };
      const { properties, warnings } = checked({ frontMatter });
      expect(properties).toEqual({ invocable: false });
      expect(warnings).toEqual(['frontMatter: over 64 KiB; left out']);
    });
  });
});

describe('skill id', () => {
  describe('deriveId', () => {
    it.each([
      ['Owner/Repo/skills/React Testing', 'owner-repo-skills-react-testing', false],
      ['o/r/.claude/skills/x_1.2', 'o-r-.claude-skills-x_1.2', false],
      ['o\\r//x/', 'o-r-x', false],
      ['o/r/a--b', 'o-r-a-b', false],
      ['o/r/c++', 'o-r-c', true],
      ['o/r/Café', 'o-r-cafe', true],
      ['o/r/测试', 'o-r', true],
      ['测试', '', true],
      ['..', '', true],
    ])('makes of %s the slug %s', (place, slug, lossy) => {
      expect(deriveId(place)).toMatchObject({ slug, lossy });
    });

    it('is bounded, and says where it was cut', () => {
      expect(deriveId('a'.repeat(250))).toMatchObject({ slug: 'a'.repeat(250), lossy: false });
      expect(deriveId('a'.repeat(251))).toMatchObject({ slug: 'a'.repeat(250), lossy: true });
    });

    it('makes ids of allowed characters only, of any place', () => {
      fc.assert(
        fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (place) => {
          const { slug, hash } = deriveId(place);
          for (const id of [slug, idWithHash(slug, hash)]) {
            expect(id).toMatch(/^[a-z0-9_.-]*$/);
            expect(id.length).toBeLessThanOrEqual(250);
          }
          expect(idWithHash(slug, hash)).toMatch(/(?:^|-)[0-9a-f]{8}$/);
        }),
      );
    });

    it('tells places with one slug apart by the hash', () => {
      const [one, other] = [deriveId('o/r/测试'), deriveId('o/r/开发')];
      expect(one.slug).toBe(other.slug);
      expect(idWithHash(one.slug, one.hash)).not.toBe(idWithHash(other.slug, other.hash));
      expect(idWithHash('', 'deadbeef')).toBe('deadbeef');
      expect(idWithHash('a'.repeat(250), 'deadbeef')).toHaveLength(250);
    });
  });

  describe('copyKey', () => {
    it('is the same for copies, however they are written out', () => {
      expect(copyKey(' React  Testing', 'Ａ\nb')).toBe(copyKey('react testing', 'a B'));
      expect(copyKey('a', 'b')).toMatch(/^[0-9a-f]{16}$/);
    });

    it('differs where name or description differ', () => {
      expect(copyKey('a', 'b')).not.toBe(copyKey('a', 'c'));
      expect(copyKey('a b', 'c')).not.toBe(copyKey('a', 'b c'));
    });
  });
});
