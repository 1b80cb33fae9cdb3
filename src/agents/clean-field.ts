/**
 * Control characters, line and paragraph separators, bidirectional controls, invisible characters that hide text from
 * people (zero width, tags), and what no XML may hold. The joiners of emoji and Persian stay.
 */
const UNSAFE =
  /[\p{Cc}\p{Cs}\s\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff\u{e0000}-\u{e007f}]+/gu;

/** A text of a skill as one line, without characters that act on what stands around it. */
export function cleanField(text: string): string {
  return text.replace(UNSAFE, ' ').trim();
}

/** Escapes a text for the content of an XML element. */
export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Escapes a text for a line of a Markdown list: no emphasis, code, link or tag of it reaches what stands behind. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*[\]<>~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&');
}

/** Escapes a text for the inside of a JSON string. */
export function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
