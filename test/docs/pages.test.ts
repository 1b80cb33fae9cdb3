import { describe, expect, test } from 'vitest';
import * as library from '../../src/index.js';
import { runCaptured } from '../cli/run-captured.js';
import { codeBlocksOf, linesOf, pagePaths, readPage } from './pages.js';

const LONGEST_LINE = 120;

/** Pages whose lines are bounded. */
const WRAPPED = pagePaths().filter((path) => path !== 'CHANGELOG.md' && path !== 'bench/README.md');

/** The texts of the links that a page begins with, each a line of a list. */
function contentsOf(page: string): string[] {
  const [head = ''] = page.split('\n## ', 1);
  return Array.from(head.matchAll(/^- \[(.+)\]\(#[^)]*\)$/gm), ([, text]) => text as string);
}

test.each(WRAPPED)(`%s has no line over ${LONGEST_LINE} characters but in tables and code`, (path) => {
  const long = linesOf(readPage(path))
    .filter(({ text, isCode }) => !isCode && !text.startsWith('|') && [...text].length > LONGEST_LINE)
    .map(({ number }) => number);
  expect(long).toEqual([]);
});

test.each(WRAPPED.filter((path) => contentsOf(readPage(path)).length > 0))(
  'the contents of %s name all of its sections, in their order',
  (path) => {
    const page = readPage(path);
    const sections = linesOf(page)
      .filter(({ text, isCode }) => !isCode && text.startsWith('## '))
      .map(({ text }) => text.slice(3));
    expect(contentsOf(page)).toEqual(sections);
  },
);

test('pages with sections have contents', () => {
  const pages = ['docs/command-line.md', 'docs/library.md', 'docs/operations.md', 'docs/ranking.md', 'docs/http.md'];
  expect(pages.filter((path) => contentsOf(readPage(path)).length === 0)).toEqual([]);
});

describe('README.md', () => {
  test('has at most 120 lines', () => {
    expect(readPage('README.md').split('\n').length).toBeLessThanOrEqual(121);
  });

  test.each(['npm ci && npm start', 'npm ci && npm test'])('has `%s` in a block of its own', (command) => {
    const blocks = codeBlocksOf(readPage('README.md')).map(({ code }) => code);
    expect(blocks).toContain(`${command}\n`);
  });
});

test('docs/library.md names all that the library exports', () => {
  const page = readPage('docs/library.md');
  expect(Object.keys(library).filter((name) => !page.includes(name))).toEqual([]);
});

describe('docs/command-line.md', () => {
  test('has every command', async () => {
    const { out } = await runCaptured(['--help']);
    const commands = Array.from(out.matchAll(/^ {2}([a-z]+)(?: |$)/gm), ([, name]) => name as string);
    expect(commands.length).toBeGreaterThan(5);
    const anchors = readPage('docs/command-line.md');
    expect(commands.filter((name) => name !== 'help' && !anchors.includes(`\n## ${name}\n`))).toEqual([]);
  });

  test.each([
    ['init', 'docs/command-line.md'],
    ['doctor', 'docs/command-line.md'],
    ['load', 'docs/command-line.md'],
    ['search', 'docs/command-line.md'],
    ['show', 'docs/command-line.md'],
    ['keys create', 'docs/command-line.md'],
    ['keys list', 'docs/command-line.md'],
    ['keys revoke', 'docs/command-line.md'],
    ['serve', 'docs/http.md'],
    ['mcp', 'docs/command-line.md'],
    ['hook', 'docs/command-line.md'],
    ['evaluate', 'docs/evaluation.md'],
    ['watch', 'docs/command-line.md'],
  ])('%s has every option in %s', async (command, path) => {
    const { out } = await runCaptured([...command.split(' '), '--help']);
    const options = Array.from(out.matchAll(/^ +(?:-\w, )?(--[a-z-]+)/gm), ([, name]) => name as string);
    expect(options.length).toBeGreaterThan(1);
    const page = readPage(path);
    expect(
      options.filter((name) => name !== '--help' && !page.includes(`\`${name}`) && !page.includes(` ${name}`)),
    ).toEqual([]);
  });
});

/** `skill-discovery COMMAND …` in the shell blocks of all pages. */
const commands = pagePaths().flatMap((path) =>
  codeBlocksOf(readPage(path))
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code }) => Array.from(code.matchAll(/skill-discovery ((?:keys )?[a-z]+)( .*)?$/gm)))
    .map(([line, command = '', words = '']) => ({ path, line, command, words: words.replace(/ #.*/, '') })),
);

test('commands in the pages are options and commands that there are', async () => {
  expect(commands.length).toBeGreaterThan(20);
  const helps = new Map<string, string>();
  const wrong: string[] = [];
  for (const { path, line, command, words } of commands) {
    const help = helps.get(command) ?? (await runCaptured([...command.split(' '), '--help'])).out;
    helps.set(command, help);
    const options = words.match(/(?<= )--[a-z-]+/g) ?? [];
    if (
      !help.startsWith(`Usage: skill-discovery ${command} `) ||
      options.some((option) => !help.includes(`${option} `))
    )
      wrong.push(`${path}: ${line}`);
  }
  expect(wrong).toEqual([]);
});
