import { splitFrontMatter } from '../../../core/index.js';
import type { ContentFile } from '../../../index.js';
import { type Html, html, raw } from '../frame/html.js';
import { languageAttributes } from '../frame/language-attributes.js';
import { linkFromText } from '../text/file-links.js';
import { markdownHtml } from '../text/markdown-html.js';
import { sourceView } from '../text/source-view.js';
import type { TextPart } from '../text/text-parts.js';

/** A part of a Markdown text of a skill. */
export interface MarkdownPart {
  readonly part: TextPart;
  readonly id: string;
  /** The path of the file that it is in. */
  readonly path: string;
  readonly files: readonly ContentFile[];
  /** The level of its first heading. */
  readonly highestHeading: number;
}

/** The part as HTML; as it is written where it is too intricate for that. */
export async function markdownView(
  { part, id, path, files, highestHeading }: MarkdownPart,
  base: string,
): Promise<Html> {
  const { frontMatter, body } =
    part.number === 1 ? splitFrontMatter(part.text) : { frontMatter: undefined, body: part.text };
  const place = { base, id, path, files: new Set(files.map((file) => file.path)) };
  const written = await markdownHtml(body, { highestHeading, linkTo: (target) => linkFromText(target, place) });
  if (written === undefined) {
    return html`<p class="notice">This text is too intricate to be formatted. It is shown as it is written.</p>
${sourceView(part)}`;
  }
  const before =
    frontMatter !== undefined &&
    html`<details class="front-matter"><summary>Front matter</summary>
${sourceView({ ...part, text: frontMatter, firstLine: 2 })}</details>`;
  return html`${before}<div class="markdown"${languageAttributes(body)}>
${raw(written)}</div>`;
}

/** Which file of a skill tells what it does. */
export function mainFileOf(filenames: readonly string[]): string | undefined {
  return filenames.find((name) => name.toUpperCase() === 'SKILL.MD') ?? filenames[0];
}

/** The links to the parts of a text before and behind one. */
export function partLinks({ number, count }: TextPart, linkToPart: (number: number) => string): Html | undefined {
  if (count === 1) return undefined;
  const links = [
    number > 1 && html`<a href="${linkToPart(number - 1)}" rel="prev">Previous part</a> `,
    html`<span>Part ${number} of ${count}</span>`,
    number < count && html` <a href="${linkToPart(number + 1)}" rel="next">Next part</a>`,
  ];
  return html`<nav class="pages" aria-label="Parts">${links}</nav>`;
}
