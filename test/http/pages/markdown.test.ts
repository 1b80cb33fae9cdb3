import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeHtml, html, raw } from '../../../src/http/pages/html.js';
import { type MarkdownLink, markdownHtml } from '../../../src/http/pages/markdown.js';
import { linkFromText, MAX_PAGE_TEXT } from '../../../src/http/pages/text-parts.js';
import { HOSTILE } from './page-text.js';

/** The longest HTML of a text. */
const MAX_HTML = 500_000;

const FILES = new Set(['SKILL.md', 'docs/knots.md', 'docs/art/grid.png', 'a b.md', 'ü.md']);

async function rendered(text: string, path = 'SKILL.md'): Promise<string> {
  const place = { base: '/base', id: 'kite', path, files: FILES };
  const linkTo = (target: string): MarkdownLink | undefined => linkFromText(target, place);
  return (await markdownHtml(text, { highestHeading: 3, linkTo })) ?? 'too costly';
}

describe('Markdown', () => {
  test.each([
    ['a *b* **c** ~~d~~ `e`', '<p>a <em>b</em> <strong>c</strong> <s>d</s> <code>e</code></p>\n'],
    ['a\\\nb\nc', '<p>a<br>\nb\nc</p>\n'],
    ['- a\n- b', '<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n'],
    ['3. a', '<ol start="3">\n<li>a</li>\n</ol>\n'],
    ['> a', '<blockquote>\n<p>a</p>\n</blockquote>\n'],
    ['a\n\n***', '<p>a</p>\n<hr>\n'],
    ['a&amp;b &copy; \\*', '<p>a&amp;b © *</p>\n'],
    [
      '| a<br>b | |\n|--:|---|\n| c | d |',
      tableOf('<th class="right">a<br>b</th>\n<td></td>', '<td class="right">c</td>\n<td>d</td>'),
    ],
  ])('%j becomes elements', async (text, html) => {
    expect(await rendered(text)).toBe(html);
  });

  test('has its code in a box with its language and a button, hidden until the script of the page shows it', async () => {
    const html = await rendered('```python title="x"\nif a < b:\n```\n\n    plain');
    expect(html).toContain('<span class="language">python</span><button type="button" class="copy" hidden>');
    expect(html).toContain('<pre dir="ltr" tabindex="0"><code>if a &lt; b:\n</code></pre>');
    expect(html).toContain('<code>plain\n</code>');
  });

  test('has tasks that nobody can tick', async () => {
    expect(await rendered('- [x] a\n- [ ] b\n- [c] d')).toBe(
      '<ul>\n<li class="task"><input type="checkbox" disabled checked aria-label="done"> a</li>\n' +
        '<li class="task"><input type="checkbox" disabled aria-label="to do"> b</li>\n<li>[c] d</li>\n</ul>\n',
    );
  });

  test('has no HTML of its own: that is shown', async () => {
    for (const hostile of HOSTILE) {
      const html = await rendered(
        `${hostile}\n\n- ${hostile}\n\n\`${hostile}\`\n\n| ${hostile} |\n|--|\n| ${hostile} |`,
      );
      expectAllowed(html);
      expect(html).not.toMatch(/<(?:script|img|svg|b)\b/);
    }
  });
});

describe('the headings of a Markdown text', () => {
  test('begin below those of the page, and leave out no level on the way down', async () => {
    expect(levelsOf(await rendered('# a\n\n#### b\n\n## c\n\n# d\n\n###### e'))).toEqual([3, 4, 4, 3, 4]);
    expect(levelsOf(await rendered('### a\n\n# b\n\n## c\n\n### d\n\n#### e\n\n##### f'))).toEqual([3, 3, 4, 5, 6, 6]);
  });

  test('have ids that are their own, each once', async () => {
    const html = await rendered('# Use it *well*!\n\n# Use it well\n\n# main\n\n# 结 ü\n\n#\n\n# \u00ad');
    expect([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)).toEqual([
      'md-use-it-well',
      'md-use-it-well-1',
      'md-main',
      'md-结-ü',
      'md-',
    ]);
  });

  test('are where links to them lead', async () => {
    const html = await rendered('[a](#use-it) [b](#Use-It) [c](#lost) [d](#)\n\n# Use it');
    expect(html).toContain('<a href="#md-use-it">a</a> <a href="#md-use-it">b</a> c d');
  });
});

describe('a link of a Markdown text', () => {
  test.each([
    ['https://a.example/x?y=1&z#w', 'https://a.example/x?y=1&amp;z#w'],
    ['HTTP://A.example', 'http://a.example/'],
    ['https://ä.example/ü', 'https://xn--4ca.example/%C3%BC'],
    ['mailto:a@b.example', 'mailto:a@b.example'],
  ])('to %s leads out, and passes nothing on', async (target, href) => {
    expect(await rendered(`[a](${target})`)).toBe(
      `<p><a href="${href}" rel="nofollow noopener noreferrer">a</a></p>\n`,
    );
  });

  test.each([
    ['docs/knots.md', '/base/skills/kite/files/docs/knots.md'],
    ['./docs/../docs/knots.md#the-bowline', '/base/skills/kite/files/docs/knots.md#md-the-bowline'],
    ['/docs/knots.md?x', '/base/skills/kite/files/docs/knots.md'],
    ['a%20b.md', '/base/skills/kite/files/a%20b.md'],
    ['<a b.md>', '/base/skills/kite/files/a%20b.md'],
    ['ü.md', '/base/skills/kite/files/%C3%BC.md'],
  ])('to %s leads to the view of that file', async (target, href) => {
    expect(await rendered(`[a](${target})`)).toBe(`<p><a href="${href}">a</a></p>\n`);
  });

  test('in a folder is seen from there', async () => {
    expect(await rendered('[a](art/grid.png) [b](../SKILL.md)', 'docs/knots.md')).toBe(
      '<p><a href="/base/skills/kite/files/docs/art/grid.png">a</a> <a href="/base/skills/kite/files/SKILL.md">b</a></p>\n',
    );
  });

  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\tscript:alert(1)',
    '&#106;avascript:alert(1)',
    'vbscript:x',
    'data:text/html,x',
    'file:///etc/hosts',
    'ftp://a.example',
    '//a.example',
    '\\\\a.example',
    'https://',
    'http://[',
    'lost.md',
    '../SKILL.md',
    'docs',
    '%',
    '%00',
    '?x',
    'x'.repeat(3000),
  ])('to %s leads nowhere: its text is shown', async (target) => {
    expect(await rendered(`[a](<${target}>)`)).toBe('<p>a</p>\n');
  });

  test('without a text shows where it leads', async () => {
    expect(await rendered('[](https://a.example)')).toContain('>https://a.example/</a>');
  });

  test('is made of an address in the text, without the end of its sentence', async () => {
    expect(await rendered('See https://a.example/b_c_d(e), (http://f.example/g). 看https://h.example。好')).toBe(
      '<p>See <a href="https://a.example/b_c_d(e)" rel="nofollow noopener noreferrer">https://a.example/b_c_d(e)</a>, ' +
        '(<a href="http://f.example/g" rel="nofollow noopener noreferrer">http://f.example/g</a>). ' +
        '看<a href="https://h.example/" rel="nofollow noopener noreferrer">https://h.example</a>。好</p>\n',
    );
  });

  test('to an image is all that is shown of it', async () => {
    expect(
      await rendered('![a *b*](docs/art/grid.png) ![](https://a.example/i.png) ![c](data:image/png;base64,x)'),
    ).toBe(
      '<p><a href="/base/skills/kite/files/docs/art/grid.png"><span class="image">Image</span> a b</a> ' +
        '<a href="https://a.example/i.png" rel="nofollow noopener noreferrer"><span class="image">Image</span></a> ' +
        '<span class="image">Image</span> c</p>\n',
    );
    expect(await rendered('[![a](docs/art/grid.png)](https://a.example)')).toBe(
      '<p><a href="https://a.example/" rel="nofollow noopener noreferrer"><span class="image">Image</span> a</a></p>\n',
    );
  });
});

describe('a hostile Markdown text', () => {
  test('changes the order of no letter, piles up no marks, and hides nothing', async () => {
    const html = await rendered(
      `a\u202eb\u2066c ${'\u0301'.repeat(100)} \u{e0041}\u{e0042}\0\x07\n\n\`x\u202ey\u200b\u200bz\``,
    );
    expect(html).not.toMatch(/[\u202a-\u202e\u2066-\u2069\0\x07]|\u0301{6}|[\u{e0000}-\u{e007f}]/u);
    expect(html).toContain(
      '<code>x<span class="unseen" title="U+202E"></span>y<span class="unseen" title="U+200B and 1 more"></span>z</code>',
    );
  });

  test('is read as deep as the bound, and no deeper', async () => {
    // Each quote is a level, and so are the paragraph and its line.
    expect(await rendered(`${'>'.repeat(38)} a`)).not.toBe('too costly');
    expect(await rendered(`${'>'.repeat(39)} a`)).toBe('too costly');
  });

  test('has an HTML as long as the bound, and no longer', async () => {
    const text = (uses: number): string => `[a]: https://a.example/${'x'.repeat(1900)}\n\n${'[a] '.repeat(uses)}`;
    const one = (await rendered(text(1))).length;
    const each = (await rendered(text(2))).length - one;
    const uses = Math.floor((MAX_HTML - one) / each);
    expect((await rendered(text(uses))).length).toBeLessThanOrEqual(MAX_HTML);
    expect(await rendered(text(uses + 3))).toBe('too costly');
  });

  test.each([
    ['brackets', '['],
    ['images', '!['],
    ['links without an end', '[a](b "'],
    ['emphasis', '*a **a '],
    ['underscores', 'a_b_'],
    ['code', '`a ``b '],
    ['quotes of quotes', '> '],
    ['lists of lists', '- '],
    ['lines', 'a\n'],
    ['paragraphs', 'a\n\n'],
    ['cells', '|x|y|\n'],
    ['references', '[a]: b "\n'],
    ['entities', '&amp;'],
    ['tags', '<a b="'],
    ['addresses', 'http://!'],
    ['marks', '\u0301'],
    ['blanks', ' '],
  ])('of %s is shown, or too costly', async (_, piece) => {
    const text = piece.repeat(MAX_PAGE_TEXT / piece.length);
    const html = await rendered(text);
    expectAllowed(html);
    expect(html.length).toBeLessThanOrEqual(MAX_HTML);
  });

  test('of a table of a hundred thousand cells is too costly', async () => {
    const row = `${'|a'.repeat(1000)}|\n`;
    expect(await rendered(`${row}${'|-'.repeat(1000)}|\n${row.repeat(100)}`)).toBe('too costly');
    expect(await rendered(`${row}${'|-'.repeat(1000)}|\n${'|\n'.repeat(2000)}`)).toBe('too costly');
  });

  test('gives the event loop its turns', async () => {
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns++;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    await rendered('Some *words* of `text`.\n\n'.repeat(1500));
    isOver = true;
    expect(turns).toBeGreaterThan(2);
  });

  test('has only elements and attributes that are written here, and links only of the web', async () => {
    const piece = fc.constantFrom(
      ...'[ ] ( ) ! < > " \' ` ``` * _ ~~ # | |-| :-- \\ &lt; &#60; --- === a 🪁 风'.split(' '),
      ...['- ', '1. ', '> ', '\n', '\n\n', '[ ] ', '    ', 'b c', '\0', '\u202e'],

      ...'javascript:alert(1) https://a.example data:x docs/knots.md #a <br> <script> </p> [a]:'.split(' '),
      ...[' onerror=x', '<img src=x>', '<!--', ']]>', 'java&#115;cript:', '\t', '\r'],
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 60 }), async (pieces) => {
        expectAllowed(await rendered(pieces.join('')));
      }),
      { numRuns: 500 },
    );
  });
});

const ALLOWED =
  /^<(?:\/?(?:p|ul|blockquote|thead|tbody|tr|em|strong|s|code|table|div|pre|span|a|ol|li|th|td|h[3-6]|button)|hr|br|ol start="\d+"|li class="task"|t[hd] class="(?:right|center)"|h[3-6] id="md-[^"]*"|div class="(?:code|code-head)"|div class="table" role="group" aria-label="Table" tabindex="0"|pre dir="ltr" tabindex="0"|span class="(?:language|image)"|span class="unseen" title="[\w+ ]+"|button type="button" class="copy" hidden|input type="checkbox" disabled(?: checked)? aria-label="(?:done|to do)"|a href="(?:https?:\/\/|mailto:)[^"]*" rel="nofollow noopener noreferrer"|a href="(?:\/base\/skills\/kite\/files\/|#md-)[^"]*")>$/;

/** Every element is known, and each that opens is closed. */
function expectAllowed(html: string): void {
  const open: string[] = [];
  for (const [tag] of html.matchAll(/<[^>]*>?/g)) {
    if (!ALLOWED.test(tag)) expect(tag).toMatch(ALLOWED);
    const name = /[a-z]+\d?/.exec(tag)?.[0] ?? '';
    if (tag.startsWith('</')) {
      if (open.pop() !== name) expect.fail(`${tag} closes another element in ${html}`);
    } else if (!/^(?:hr|br|input)$/.test(name)) open.push(name);
  }
  expect(open).toEqual([]);
}

function levelsOf(html: string): number[] {
  return [...html.matchAll(/<h(\d)/g)].map(([, level]) => Number(level));
}

function tableOf(head: string, body: string): string {
  return `<div class="table" role="group" aria-label="Table" tabindex="0"><table>\n<thead>\n<tr>\n${head}\n</tr>\n</thead>\n<tbody>\n<tr>\n${body}\n</tr>\n</tbody>\n</table></div>\n`;
}

describe('a template', () => {
  test('escapes every text, in elements and in attributes', () => {
    const text = `"><script>'&`;
    const escaped = '&quot;&gt;&lt;script&gt;&#39;&amp;';
    expect(html`<a href="${text}">${text}</a>`.text).toBe(`<a href="${escaped}">${escaped}</a>`);
  });

  test('holds templates in templates, and lists of them, as they are', () => {
    expect(html`<ul>${['<', html`<b>${'&'}</b>`, [html`<i></i>`]]}</ul>`.text).toBe('<ul>&lt;<b>&amp;</b><i></i></ul>');
  });

  test('shows numbers, and nothing for what is not there', () => {
    expect(html`${0}${undefined}${null}${false}${''}`.text).toBe('0');
  });

  test('trusts only what is said to be HTML, not what looks like it', () => {
    expect(() => html`${{ text: '<b>' } as never}`).toThrow(TypeError);
    expect(html`${raw('<b>')}`.text).toBe('<b>');
  });
});

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

test('each special character becomes its entity, and no other character changes', () => {
  const text = fc.string({ unit: fc.oneof(fc.constantFrom(...Object.keys(ENTITIES), 'a', '語'), fc.string()) });
  fc.assert(
    fc.property(text, (text) => {
      expect(escapeHtml(text)).toBe([...text].map((character) => ENTITIES[character] ?? character).join(''));
    }),
  );
});
