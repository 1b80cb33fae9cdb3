import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SkillInstallation } from '../../../src/index.js';
import type { RawRow } from '../../../src/sources/index.js';
import { checkRow } from '../../../src/sources/index.js';

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
