import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPage } from './docs/pages.js';
import { PROJECT } from './project-copy.js';

/** What only the command line runs. */
const OF_COMMANDS = /^(?:cli|agents\/(?:doctor|hook|init))\b/;

const FLAGS = new Set(readPage('docs/command-line.md').match(/--[a-z][a-z-]+/g));

test('messages of the library name options of the library, no flags of the command line', () => {
  const files = (readdirSync(join(PROJECT, 'src'), { recursive: true }) as string[]).filter(
    (file) => file.endsWith('.ts') && !OF_COMMANDS.test(file),
  );
  const named = files.flatMap((file) =>
    readFileSync(join(PROJECT, 'src', file), 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line))
      .flatMap((line) => [...line.matchAll(/[ (](--[a-z][a-z-]+)/g)].map(([, flag]) => `${file}: ${flag}`))
      .filter((one) => FLAGS.has(one.slice(one.indexOf('--')))),
  );
  expect(named).toEqual([]);
});
