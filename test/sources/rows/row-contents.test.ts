import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { sha256Of } from '../../../src/core/index.js';
import type { SkillInstallation } from '../../../src/index.js';
import { checkRow, deriveId, idWithHash, type RawRow } from '../../../src/sources/index.js';
import { rowFiles } from '../../../src/sources/rows/row-files.js';

type RowFile = Readonly<Record<string, unknown>>;

describe('the contents of a row', () => {
  const twice = (path: string): string => `files: ${path} occurs twice; the later one is kept`;
  const kept = (given: string, path: string): string => `contents: the path ${given} is kept as ${path}; incomplete`;

  it.each<[string, string[], string[], string[]]>([
    ['a path out of the skill', ['../../etc/passwd'], ['etc/passwd'], [kept('"../../etc/passwd"', 'etc/passwd')]],
    ['backslashes', ['a\\b.txt'], ['a/b.txt'], [kept('"a\\\\b.txt"', 'a/b.txt')]],
    ['control characters', ['b\u0001\n.txt'], ['b.txt'], [kept('"b\\u0001\\n.txt"', 'b.txt')]],
    ['the same path', ['b.txt', 'b.txt'], ['b.txt'], [twice('b.txt')]],
    ['paths that become one', ['b.txt', '../b.txt'], ['b.txt'], [twice('b.txt'), kept('"../b.txt"', 'b.txt')]],
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

  it('are complete with any path that is kept as it is', () => {
    const paths = ['.gitignore', 'SKILL.md', 'a b/c.d.txt', 'a/b', 'a/c', 'ab', 'é/\u{1f600}.md'];
    const { contents, warnings } = read(paths.map((path) => whole(path, path)));
    expect(contents?.complete).toBe(true);
    expect(contents?.files.map(({ path }) => path)).toEqual(paths);
    expect(warnings).toEqual([]);
  });

  it.each(['.git/config', 'a/.GIT/hooks/pre-commit', '.g\u200cit/config', 'a/.DS_Store'])(
    'have no file that a folder would not have either: %s',
    (path) => {
      const { files, contents, warnings } = read([whole('SKILL.md', 'x'), whole(path, 'y')]);
      expect(contents).toMatchObject({ complete: true, files: [{ path: 'SKILL.md' }] });
      expect(contents?.files).toHaveLength(1);
      expect(warnings).toEqual([]);
      expect(files.map(({ filename }) => filename)).toEqual(['SKILL.md', path]);
    },
  );

  it.each(['.env', 'a/.npmrc', '.ssh/id_rsa'])('are incomplete with the secrets left out: %s', (path) => {
    const { contents, warnings } = read([whole('SKILL.md', 'x'), whole('.env.example', 'y'), whole(path, 'z')]);
    expect(contents).toMatchObject({ complete: false, files: [{ path: '.env.example' }, { path: 'SKILL.md' }] });
    expect(contents?.files).toHaveLength(2);
    expect(warnings).toEqual([`contents: ${path}: may hold secrets; left out`]);
  });
});

function whole(filename: string, text: string): RowFile {
  return { filename, text, complete: true, sha256: sha256Of(text) };
}

function read(files: readonly RowFile[]): ReturnType<typeof rowFiles> & { readonly warnings: string[] } {
  const warnings: string[] = [];
  return { ...rowFiles(files, 'A description.', warnings), warnings };
}

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
    ['with a lone surrogate', resolve('/a\ud800')],
  ])('are left out with a warning if the source found a path that is %s', (_, path) => {
    const { installations, warnings } = checked({}, { installations: [{ agent: 'codex', scope: 'user', path }] });
    expect(installations).toBeUndefined();
    expect(warnings).toEqual([
      'installations: one whose path is not absolute, or no text that can be stored; left out',
    ]);
  });

  test.each<[unknown, string]>([
    ['codex', 'expected a list'],
    [['codex'], 'no object'],
    [[{ agent: 'Codex', scope: 'user' }], 'agent is no slug'],
    [[{ agent: 'a'.repeat(65), scope: 'user' }], 'agent is no slug'],
    [[{ agent: 'codex', scope: 'global' }], 'scope is none of'],
  ])('that are %j are left out with a warning', (installations, warning) => {
    const found = checked({ installations });
    expect(found.installations).toBeUndefined();
    expect(found.warnings).toEqual([expect.stringContaining(warning)]);
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
    { frontMatter: { metadata: { internal: 'true' } } },
    { metadata: { internal: 'TRUE' } },
  ])('that says %j', (fields) => {
    expect(checked(fields).properties).toMatchObject({ invocable: false });
  });

  test.each([
    {},
    { frontMatter: { 'disable-model-invocation': 'false' } },
    { frontMatter: { 'user-invocable': 'false' } },
    { frontMatter: 'disable-model-invocation: true' },
    { metadata: { internal: 'no' } },
    { 'disable-model-invocation': true, internal: true, invocable: false },
    { frontMatter: Object.create({ 'disable-model-invocation': true }) as object },
  ])('but may call one that says %j', (fields) => {
    expect(checked(fields).properties).not.toHaveProperty('invocable');
  });
});

describe('deriveId', () => {
  it.each([
    ['Owner/Repo/skills/React Testing', 'owner-repo-skills-react-testing', false],
    ['o/r/.claude/skills/x_1.2', 'o-r-.claude-skills-x_1.2', false],
    ['o/r/Café', 'o-r-cafe', true],
    ['o/r/测试', 'o-r', true],
    ['..', '', true],
  ])('makes of %s the slug %s', (place, slug, lossy) => {
    expect(deriveId(place)).toMatchObject({ slug, lossy });
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
});
