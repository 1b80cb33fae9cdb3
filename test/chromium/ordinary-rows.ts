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
