import { describe, expect, test } from 'vitest';
import { MAX_FILE_BYTES } from '../../../../src/core/index.js';
import { createHandler } from '../../../../src/http/index.js';
import { MAX_PAGE_LINES, MAX_PAGE_TEXT } from '../../../../src/http/pages/text-parts.js';
import { buildCatalogue } from '../../../../src/index.js';
import { scratchFile } from '../../../scratch-folder.js';
import { temporaryFolder } from '../../../sources/folders.js';
import { type Ask, ORIGIN, opened, serve } from '../../ask.js';
import { HOSTILE, KITE } from '../kite.js';
import { expectHarmless, linksOf, textOf } from '../page-text.js';

const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 1]);

/** The skill `kite` with these files beside its SKILL.md, each as it is. */
async function skillOf(files: Readonly<Record<string, string | Uint8Array>>): Promise<Ask> {
  const folder = await temporaryFolder({
    'kite/SKILL.md': '---\nname: kite\ndescription: Builds kites.\n---\n# Kites\n',
    ...Object.fromEntries(Object.entries(files).map(([name, content]) => [`kite/${name}`, content])),
  });
  const database = scratchFile('files.db');
  await buildCatalogue({ database, sources: [folder], semantic: false, git: false });
  const search = await opened({ database });
  const [id] = search.ids();
  const { ask } = await serve(search, { pages: true });
  return (path, how) => ask(path.replace('/kite/', `/${id}/`), how);
}

describe('the view of a file', () => {
  test('shows a text as it is written, with a number and an anchor for each line', async () => {
    const ask = await skillOf({ 'scripts/fold.py': 'import sys\r\n\r\nif a < b:\n\tpass\n' });
    const reply = await ask('/skills/kite/files/scripts/fold.py');
    expectHarmless(reply);
    expect(linesOf(reply.text)).toEqual([
      ['1', 'import sys'],
      ['2', ''],
      ['3', 'if a &lt; b:'],
      ['4', '\tpass'],
    ]);
    expect(textOf(reply)).toContain('text/x-python');
    expect(textOf(reply)).toContain('scripts/fold.py');
  });

  test('formats Markdown, with a switch to its source', async () => {
    const ask = await skillOf({ 'docs/knots.md': '---\ntitle: Knots\n---\n# Bowline\n\n[back](../SKILL.md)\n' });
    const formatted = await ask('/skills/kite/files/docs/knots.md');
    expectHarmless(formatted);
    expect(formatted.text).toContain('<h2 id="md-bowline">Bowline</h2>');
    expect(formatted.text).toContain('data-line="2">title: Knots');
    expect(linksOf(formatted).some((link) => link.endsWith('/files/SKILL.md'))).toBe(true);
    const source = await ask('/skills/kite/files/docs/knots.md?view=source');
    expect(linesOf(source.text)[3]).toEqual(['4', '# Bowline']);
    expect(linksOf(source).some((link) => link.endsWith('?view=formatted'))).toBe(true);
  });

  test('tells only facts of what is no text', async () => {
    for (const content of [PNG, 'a\0b', Uint8Array.from([0x61, 0xff, 0x62])]) {
      const ask = await skillOf({ 'grid.png': content });
      const reply = await ask('/skills/kite/files/grid.png');
      expectHarmless(reply);
      expect(reply.text).not.toContain('class="source"');
      expect(textOf(reply)).toMatch(/not a text/);
      expect(textOf(reply)).toMatch(/[0-9a-f]{64}/);
    }
  });

  test('shows a text that is only searched: an excerpt', async () => {
    const { ask } = await serve([KITE], { pages: true });
    const reply = await ask('/skills/kite/files/references/knots.md');
    expect(textOf(reply)).toContain('The bowline holds the tether.');
    expect(textOf(reply)).toContain('excerpt');
  });

  test('says that a file is empty', async () => {
    const ask = await skillOf({ 'empty.txt': '' });
    expect(textOf(await ask('/skills/kite/files/empty.txt'))).toContain('This file is empty.');
  });

  test('finds a file by any name, and shows hostile ones as they are', async () => {
    const names = ['a b.txt', 'ü/风.txt', '100%.txt', 'a?b#c.txt', "it's (1).txt", '🪁.txt', '.hidden'];
    const ask = await skillOf(Object.fromEntries(names.map((name) => [name, `in ${name}`])));
    for (const name of names) {
      const path = name.split('/').map(encodeURIComponent).join('/');
      const reply = await ask(`/skills/kite/files/${path}`);
      expect([reply.status, textOf(reply).includes(`in ${name}`)], name).toEqual([200, true]);
      expectHarmless(reply);
    }
  });

  test('runs nothing of a text, whatever it holds', async () => {
    for (const hostile of HOSTILE) {
      const ask = await skillOf({ 'x.html': hostile, 'x.svg': hostile, 'x.md': hostile, 'x.js': hostile });
      for (const name of ['x.html', 'x.svg', 'x.md', 'x.js']) expectHarmless(await ask(`/skills/kite/files/${name}`));
    }
  });

  test('marks what nobody sees', async () => {
    const ask = await skillOf({ 'x.js': 'if (a\u202e) { // \u2066\u{e0041}\n' });
    const { text } = await ask('/skills/kite/files/x.js');
    expect(text).toContain('if (a<span class="unseen" title="U+202E"></span>)');
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  });
});

describe('a long file', () => {
  test('is shown in parts, by lines', async () => {
    const lines = Array.from({ length: 2 * MAX_PAGE_LINES + 1 }, (_, i) => `line ${i + 1}`);
    const ask = await skillOf({ 'long.txt': lines.join('\n') });
    const numbers: string[] = [];
    for (const part of [1, 2, 3]) {
      const reply = await ask(`/skills/kite/files/long.txt${part === 1 ? '' : `?part=${part}`}`);
      const shown = linesOf(reply.text);
      expect(shown.every(([number, text]) => text === `line ${number}`)).toBe(true);
      expect(textOf(reply)).toContain(`Part ${part} of 3`);
      const others = linksOf(reply).flatMap((link) => /part=(\d)/.exec(link)?.[1] ?? []);
      expect(others).toEqual([['2'], ['1', '3'], ['2']][part - 1]);
      numbers.push(...shown.map(([number = '']) => number));
    }
    expect(numbers).toEqual(lines.map((_, i) => String(i + 1)));
  });

  test.each([
    ['CR', '\r'],
    ['CR LF', '\r\n'],
    ['LF', '\n'],
  ])('has as many lines in a part as the bound, where each ends with %s', async (_, end) => {
    const ask = await skillOf({ 'long.txt': `x${end}`.repeat(MAX_PAGE_LINES + 2) });
    const parts = await Promise.all([1, 2].map((part) => ask(`/skills/kite/files/long.txt?part=${part}`)));
    expect(parts.map(({ text }) => linesOf(text).length)).toEqual([MAX_PAGE_LINES, 2]);
    expect(linesOf(parts[1]!.text)[0]).toEqual([String(MAX_PAGE_LINES + 1), 'x']);
  });

  test('is shown in parts, by characters, and no character is cut', async () => {
    const text = `${'x'.repeat(MAX_PAGE_TEXT - 1)}🪁${'y'.repeat(10)}`;
    const ask = await skillOf({ 'long.txt': text });
    const parts = await Promise.all([1, 2].map((part) => ask(`/skills/kite/files/long.txt?part=${part}`)));
    expect(parts.flatMap((reply) => linesOf(reply.text).map(([, line]) => line)).join('')).toBe(text);
  });

  test('of four megabytes is shown as far as it is searched, and sent whole', async () => {
    const text = 'all work and no play\n'.repeat(200_000);
    const ask = await skillOf({ 'long.txt': text });
    const first = await ask('/skills/kite/files/long.txt');
    expect(first.text.length).toBeLessThan(4 * MAX_PAGE_TEXT);
    const count = Number(/Part 1 of (\d+)/.exec(textOf(first))?.[1]);
    expect(count).toBe(Math.ceil(MAX_FILE_BYTES / 21 / MAX_PAGE_LINES));
    const last = await ask(`/skills/kite/files/long.txt?part=${count}`);
    expect(textOf(last)).toContain('The rest is in the file');
    expect((await ask('/skills/kite/files/long.txt?view=raw')).text).toBe(text);
  });
});

describe('a download', () => {
  test.each([
    ['x.html', '<script>alert(1)</script>', 'text/plain; charset=utf-8'],
    ['x.svg', '<svg onload="alert(1)"/>', 'text/plain; charset=utf-8'],
    ['x.md', '# a', 'text/plain; charset=utf-8'],
    ['x.png', PNG, 'application/octet-stream'],
    ['x.html', Uint8Array.from([0x3c, 0xff, 0x3e]), 'application/octet-stream'],
  ])('of %s has no type that a browser runs', async (name, content, type) => {
    const folder = await temporaryFolder({ 'SKILL.md': '---\nname: kite\ndescription: x\n---\nx', [name]: content });
    const database = scratchFile('files.db');
    await buildCatalogue({ database, sources: [folder], semantic: false, git: false });
    const search = await opened({ database });
    const path = `/skills/${search.ids()[0]}/files/${name}?view=raw`;
    const response = await createHandler(search, { pages: true })(new Request(ORIGIN + path));
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array(Buffer.from(content)));
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': type,
      'content-disposition': `attachment; filename*=UTF-8''${name}`,
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      etag: expect.any(String),
    });
  });

  test('has its name in a form that no header breaks at', async () => {
    const ask = await skillOf({ 'it\'s "a" (1)\r\n*ü.txt': 'x' });
    const name = encodeURIComponent('it\'s "a" (1)\r\n*ü.txt');
    const { status, headers } = await ask(`/skills/kite/files/${name}?view=raw`);
    expect([status, headers.get('Content-Disposition')]).toEqual([
      200,
      "attachment; filename*=UTF-8''it%27s%20%22a%22%20%281%29%0D%0A%2a%C3%BC.txt",
    ]);
  });

  test('is not sent again to who has it', async () => {
    const ask = await skillOf({ 'a.txt': 'x' });
    const tag = (await ask('/skills/kite/files/a.txt?view=raw')).headers.get('ETag') ?? '';
    const again = await ask('/skills/kite/files/a.txt?view=raw', { headers: { 'If-None-Match': tag } });
    expect([again.status, again.text]).toEqual([304, '']);
  });
});

describe('a file that is asked for wrongly', () => {
  test.each([
    ['view=plain', 'view must be one of formatted, source, raw, got "plain"'],
    ['view=raw&view=raw', 'view must be given once, got an array'],
    ['part=0', 'part must be an integer from 1 on, got "0"'],
    ['part=1.5', 'part must be an integer from 1 on, got "1.5"'],
    ['part=%3Cb%3E', 'part must be an integer from 1 on, got "<b>"'],
    ['part=2', 'part must be at most 1, got 2'],
    ['part=999999999999', 'part must be an integer from 1 on, got "999999999999"'],
  ])('%s is 400, and says what was expected', async (query, message) => {
    const { ask } = await serve([KITE], { pages: true });
    const reply = await ask(`/skills/kite/files/SKILL.md?${query}`);
    expect([reply.status, reply.code, reply.message]).toEqual([400, 'INVALID_PARAMETER', message]);
    const page = await ask(`/skills/kite/files/SKILL.md?${query}`, { headers: { Accept: 'text/html' } });
    expect([page.status, textOf(page).includes(message)]).toEqual([400, true]);
    expectHarmless(page);
  });
});

/** Number and HTML of each line that is shown. */
function linesOf(text: string): [string, string][] {
  return [...text.matchAll(/<span class="line" id="L(\d+)" data-line="\1">([\s\S]*?)\n<\/span>/g)].map(
    ([, number = '', line = '']) => [number, line],
  );
}
