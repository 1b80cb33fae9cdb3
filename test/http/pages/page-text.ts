import { expect } from 'vitest';
import type { Row } from '../../rows.js';
import type { Reply } from '../ask.js';

const TAG = /^<(?:!doctype html|\/?([a-z][a-z0-9]*)((?: [a-z:A-Z-]+(?:="[^"<>]*")?)*)\/?)>$/;

/** The elements that pages are made of. */
const ELEMENTS = new Set(
  (
    'html head meta title link script body header nav main footer a h1 h2 h3 h4 p div span ul ol li dl dt dd pre code bdi q h5 h6 ' +
    'form input select option optgroup button label fieldset legend details summary mark svg path rect g title time ' +
    'table thead tbody tr th td kbd strong em small section article aside noscript bdi abbr output blockquote hr br del s'
  ).split(' '),
);

/**
 * A page has only elements that the service itself writes, runs only its own script, and leads nowhere but to itself
 * and to addresses of the web.
 */
export function expectHarmless({ text }: Reply): void {
  const tags = [...text.matchAll(/<[^>]*>?/g)].map(([tag]) => tag);
  expect(tags.length).toBeGreaterThan(10);
  for (const tag of tags) {
    const [, element, attributes = ''] = TAG.exec(tag) ?? [];
    if (tag === '<!doctype html>') continue;
    expect(ELEMENTS, tag).toContain(element);
    for (const [, name = '', value = ''] of attributes.matchAll(/ ([a-zA-Z:-]+)(?:="([^"]*)")?/g)) {
      expect(name, tag).not.toMatch(/^(?:on|style|srcdoc|http-equiv)/i);
      if (/^(?:href|src|action|formaction|poster|data)$/.test(name))
        expect(value, tag).toMatch(/^(?:\/(?!\/)|#|https?:\/\/|mailto:)/);
      if (name === 'src' || element === 'link') expect(value, tag).not.toMatch(/^https?:/);
    }
  }
  expect(text.match(/<script/g)?.length).toBe(1);
}

/** The text of a page as a browser shows it, with that of its title. */
export function textOf({ text }: Reply): string {
  return unescaped(text.replace(/<[^>]*>/g, '\n'));
}

/** The links of `<main>`. */
export function linksOf({ text }: Reply): string[] {
  const main = text.slice(text.indexOf('<main'), text.indexOf('</main>'));
  return [...main.matchAll(/href="([^"]*)"/g)].map(([, link]) => unescaped(link as string));
}

/** The links of a page; those to skills without what they carry for the way back. */
export function plainLinksOf(reply: Reply): string[] {
  return linksOf(reply).map((link) => (link.startsWith('/skills/') ? link.replace(/\?.*/s, '') : link));
}

function unescaped(html: string): string {
  const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return html.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => characters[name] as string);
}

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
