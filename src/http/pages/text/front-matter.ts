import type { SkillDetails } from '../../../index.js';
import { type Html, html } from '../frame/html.js';
import { languageAttributes } from '../frame/language-attributes.js';
import { shownProse } from '../frame/safe-text.js';

/** The longest value of a front matter that a page shows, in UTF-16 units. It can have 64 KB. */
export const MAX_PAGE_VALUE = 1000;

/** The front matter of a skill as a table, without name and description, which its page shows anyway. */
export function frontMatterTable(skill: SkillDetails): Html | undefined {
  const { license, compatibility, allowedTools, metadata, frontMatter } = skill;
  const fields = frontMatter ?? { license, compatibility, 'allowed-tools': allowedTools, metadata };
  const rows = Object.entries(fields).filter(
    ([key, value]) => value !== undefined && key !== 'name' && key !== 'description',
  );
  if (rows.length === 0) return undefined;
  return html`<details class="front-matter"><summary>Front matter</summary>
<div class="table" role="group" aria-label="Front matter" tabindex="0"><table><tbody>
${rows.map(
  ([key, value]) => html`<tr><th scope="row">${cut(key)}</th><td>${valueHtml(value)}</td></tr>
`,
)}</tbody></table></div></details>`;
}

function valueHtml(value: unknown): Html {
  if (value === null || value === '') return html`<span class="muted">empty</span>`;
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return html`${cut(value.join(', '))}`;
  if (typeof value === 'object') return html`<code>${cut(JSON.stringify(value))}</code>`;
  const text = cut(String(value));
  return html`<span${languageAttributes(text)}>${text}</span>`;
}

function cut(text: string): string {
  const shown = shownProse(text.slice(0, MAX_PAGE_VALUE).toWellFormed());
  return text.length > MAX_PAGE_VALUE ? `${shown}…` : shown;
}
