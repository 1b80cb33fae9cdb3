import type { Row } from '../../rows.js';

/** A skill with everything that a page shows. */
export const KITE: Row = {
  id: 'kite',
  name: 'kite-builder',
  author: 'wren',
  description: 'Builds kites of paper.',
  codehostUrl: 'https://code.example/wren/kites',
  skillUrl: 'https://market.example/kite',
  stars: 12_345,
  updatedAt: 1_700_000_000,
  categories: ['crafts'],
  occupations: ['toy-makers-519199'],
  files: [
    { filename: 'SKILL.md', text: 'Fold the spar first.' },
    { filename: 'references/knots.md', text: 'The bowline holds the tether.' },
  ],
};

/** What would do something if it came into a page as it is. */
export const HOSTILE: readonly string[] = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'><svg/onload=alert(1)>",
  '</title></style></pre><b>bold</b>',
  '<!-- & &lt;b&gt; &#60;b&#62; -->',
  '</h1><a href="javascript:alert(1)">click</a>',
];
