import { textLanguage } from '../../../core/index.js';
import { type Html, html } from './html.js';

/**
 * ` lang="…" dir="…"` for the element of a text of a catalogue, by its own script. Nothing for English from left to
 * right, which all pages are in.
 *
 * @example
 * html`<p${languageAttributes(description)}>${description}</p>`
 */
export function languageAttributes(text: string): Html {
  const { lang, dir } = textLanguage(text);
  // An element with `dir` is isolated: it does not change the order of what stands around it.
  const language = lang !== undefined && lang !== 'en' && html` lang="${lang}"`;
  return html`${language}${dir === 'rtl' && html` dir="rtl"`}`;
}
