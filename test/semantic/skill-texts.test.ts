import { expect, test } from 'vitest';
import { hashTexts, meanVector, textsToEmbed } from '../../src/semantic/index.js';

const LONG = 'Turns the minutes of a meeting into a list of tasks with owners and dates, ready to be sent round.';

function textsOf(description: string, text: string, frontMatter?: Record<string, unknown>): readonly string[] {
  return textsToEmbed({
    name: 'meeting-tasks',
    description,
    properties: { ...(frontMatter && { frontMatter }) },
    files: [
      { filename: 'SKILL.md', text },
      { filename: 'notes.md', text: '## When to use\n\nNever asked for.' },
    ],
  });
}

test('what an author says about when to use a skill is a text of its own', () => {
  const sections = [
    '---\nname: x\n---\n# Meeting\n\n## When to Use This Skill\n\n- someone **asks** who does what\n\n## Steps\n\nRead.',
    '## 使用场景\nsomeone asks who does what\n# Schritte\nLies.',
    '```sh\n# when to use: never in a shell\n```\n### Triggers\n> someone `asks` who does what',
  ];
  for (const text of sections) {
    expect(textsOf(LONG, text)).toEqual([
      `meeting-tasks. ${LONG}`,
      expect.stringMatching(/^meeting-tasks\. (- )?someone asks who does what$/),
    ]);
  }
  expect(
    textsOf(LONG, '# Meeting\n\nRead.', { triggers: ['who does what', 'send round the tasks'], other: 'x' }),
  ).toEqual([`meeting-tasks. ${LONG}`, 'meeting-tasks. who does what. send round the tasks']);
});

test('a skill whose description is short is also embedded by how its file begins', () => {
  const file = '# Meeting tasks\n\nReads the minutes and says who has to do what until when.';
  const second = 'meeting-tasks. Meeting tasks Reads the minutes and says who has to do what until when.';
  expect(textsOf('Tasks of a meeting', file)).toEqual(['meeting-tasks. Tasks of a meeting', second]);
});

test('the first section about when to use a skill that says something counts, with the sections in it', () => {
  const said = (text: string): string | undefined => textsOf(LONG, text)[1];
  expect(
    said('# Database triggers\nFor those who write many triggers.\n## When to use\n### Good\n- who does what now'),
  ).toBe('meeting-tasks. Good - who does what now');
  expect(
    said('## Use this when\n\n## When to use / When NOT to use\r\nSomeone asks for tasks.\r\n\r\n## Steps\r\nNo.'),
  ).toBe('meeting-tasks. Someone asks for tasks.');
  for (const not of ['Do not use this skill when', "Don't use this", 'When NOT to use this skill', 'Never use when']) {
    expect(said(`## ${not}\n\nNobody has written any minutes.`)).toBe(undefined);
  }
});

test('a skill is embedded by its name and description alone where no more is said', () => {
  const alone = [`meeting-tasks. ${LONG}`];
  expect(textsOf(LONG, '# Meeting tasks\n\nReads the minutes and says who has to do what.')).toEqual(alone);
  expect(textsOf(LONG, '## When not to use it\n\nWhere nobody has written any minutes.')).toEqual(alone);
  expect(textsOf('Tasks of a meeting', 'Tasks of a meeting')).toEqual(['meeting-tasks. Tasks of a meeting']);
});

test('a long text is cut at a code point, and each text changes the hash', () => {
  const texts = textsOf(LONG, `## When to use\n${'as 😀'.repeat(200)}`);
  expect([texts[1]!.length < 300, texts[1]!.isWellFormed()]).toEqual([true, true]);
  expect(hashTexts(texts).equals(hashTexts(texts.slice(0, 1)))).toBe(false);
});

test('vectors of several texts are brought to one of unit length, and that of one is left as it is', () => {
  expect(meanVector([Float32Array.of(1, 0)])).toEqual(Float32Array.of(1, 0));
  expect([...meanVector([Float32Array.of(1, 0), Float32Array.of(0, 1)])]).toEqual(
    Array<unknown>(2).fill(expect.closeTo(Math.SQRT1_2, 6)),
  );
  expect(meanVector([Float32Array.of(1, 0), Float32Array.of(-1, 0)])).toEqual(Float32Array.of(1, 0));
});
