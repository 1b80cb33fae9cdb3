import { expect, test } from 'vitest';
import { readHookOptions } from '../../../src/agents/hook/hook-options.js';

test.each([
  [['--max-tokens', 'many'], '--max-tokens must be a whole number from 1 to 4000, got "many"'],
  [['--limit', '0'], '--limit must be a whole number from 1 to 20, got "0"'],
  [['--mode', 'magic'], '--mode must be one of auto, words, meaning'],
  [
    ['--database', 'postgres://u@host/skills'],
    '--database must be the path of a file here: an agent waits for each prompt, and not for another machine; that of a local copy will do, skills.db in its --cache',
  ],
])('%j is refused with the name of the option as it was written', (words, message) => {
  expect(() => readHookOptions(words)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION', message }));
});
