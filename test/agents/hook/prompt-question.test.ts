import { describe, expect, test } from 'vitest';
import { HOOK_LIMITS } from '../../../src/agents/hook/host-format.js';
import { proseOf } from '../../../src/agents/hook/prompt-query.js';
import { readPromptQuestion } from '../../../src/agents/hook/prompt-question.js';
import { MAX_SEMANTIC_QUERY_LENGTH } from '../../../src/core/index.js';

describe('the prose of a prompt', () => {
  test('is what stands outside of blocks of code', () => {
    expect(proseOf('why is\n```ts\nconst a = 1;\n```\nwrong?')).toBe('why is\n \nwrong?');
    expect(proseOf('explain ~~~\nno end')).toBe('explain');
  });

  test('is empty for a command of the host, but not for a path or an exclamation', () => {
    for (const command of ['/clear', '/deploy staging', '/plugin:review now', ' /init', '!ls -la']) {
      expect(proseOf(command)).toBe('');
    }
    for (const prose of ['/etc/hosts is wrong', 'a /clear in it', '! that is odd']) expect(proseOf(prose)).toBe(prose);
  });

  test('is that of the beginning of a very long prompt', () => {
    expect(proseOf('a'.repeat(HOOK_LIMITS.promptLength + 1))).toHaveLength(HOOK_LIMITS.promptLength);
  });
});

describe('the question of a prompt', () => {
  test('counts the words that say something', () => {
    expect(readPromptQuestion('yes, do that')!.words).toBeLessThan(2);
    expect(readPromptQuestion('fill in the PDF forms')!.words).toBe(3);
    expect(readPromptQuestion('the of and')!.words).toBe(0);
  });

  test('measures how much of it is code', () => {
    expect(readPromptQuestion('draw a chart of sales')!.code).toBe(0);
    expect(readPromptQuestion('fooBar()')!.code).toBe(1);
    expect(readPromptQuestion('why fooBar()')!.code).toBeCloseTo(8 / 11);
    for (const code of ['src/main.ts', 'a[i]', 'x=1', 'std::vector', 'line 88', '`rows`', 'getName']) {
      expect(readPromptQuestion(code)!.code).toBeGreaterThan(0);
    }
    for (const prose of ['Tell me: why?', "it's done - thanks!", 'Größe, bitte.', '把变量名改掉']) {
      expect(readPromptQuestion(prose)!.code).toBe(0);
    }
  });

  test('is none without a letter or digit, and for a command of the host', () => {
    for (const prompt of ['', ' \n', '?!', '👍', '```\ncode\n```', '/clear']) {
      expect(readPromptQuestion(prompt)).toBeUndefined();
    }
  });

  test('is as long as a search takes, in code points', () => {
    const { text } = readPromptQuestion('😀a'.repeat(3000))!;
    expect([...text]).toHaveLength(MAX_SEMANTIC_QUERY_LENGTH);
  });
});
