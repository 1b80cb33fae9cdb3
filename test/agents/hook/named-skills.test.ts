import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mentionsIn, namedBy } from '../../../src/agents/hook/named-skills.js';

const SKILLS = ['pdf', 'test', 'remotion', 'frontend-design', 'code-review', 'release-notes', '文档'].map((name) => ({
  name,
}));

function named(prompt: string): readonly string[] {
  return namedBy(mentionsIn(prompt), SKILLS).map(({ name }) => name);
}

/** How people name a skill, whatever its name is. */
const WAYS: readonly ((name: string) => string)[] = [
  (name) => `use the ${name} skill`,
  (name) => `Read the ${name} skill first, then go on.`,
  (name) => `make a video with the skill ${name}`,
  (name) => `please try /${name} on this`,
  (name) => `run $${name}`,
  (name) => `what does \`${name}\` do?`,
  (name) => `use document-skills:${name} for this`,
  (name) => `nutze den ${name}-Skill`,
  (name) => `benutze die Fähigkeit ${name} dafür`,
  (name) => `utilise la compétence ${name}`,
  (name) => `usa la habilidad de ${name} para esto`,
  (name) => `使用${name}技能来做`,
  (name) => `${name}スキルを使ってください`,
  (name) => `${name} 스킬을 사용해 줘`,
  (name) => `используй навык ${name}`,
  (name) => `${name} becerisini kullan`,
  (name) => `hãy dùng kỹ năng ${name}`,
];

describe('a skill that a prompt names', () => {
  test('is found, however it is said', () => {
    const name = fc.constantFrom('pdf', 'test', 'remotion', 'frontend-design', 'code-review');
    fc.assert(
      fc.property(name, fc.constantFrom(...WAYS), (one, way) => {
        expect(named(way(one)), way(one)).toContain(one);
      }),
    );
  });

  test.each([
    ['use the frontend design skill', 'frontend-design'],
    ['build it with Frontend Design.', 'frontend-design'],
    ['do a code-review of this', 'code-review'],
    ['フロントは frontend design を使って', 'frontend-design'],
    ['请使用文档技能', '文档'],
  ])('%s', (prompt, name) => {
    expect(named(prompt)).toEqual([name]);
  });

  test.each([
    'test this',
    'open the pdf and run the test',
    'the code review was good',
    'write release notes',
    'look at /tmp/pdf/test and src/test',
    'use it. test that',
    'error:test in log:pdf',
    'what skill would you need? test it',
    'no, not that one',
  ])('is none where a word is only said: %s', (prompt) => {
    expect(named(prompt)).toEqual([]);
  });

  test('is none of a text that has no name, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        expect(named(text.replace(/pdf|test/gi, ''))).toEqual([]);
      }),
    );
  });
});
