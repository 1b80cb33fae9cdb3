import { cleanLine, textLanguage } from '../../core/index.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as the content of an HTML element or attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/** Text that is HTML. Only {@link html} and {@link raw} make it, so whatever is not `Html` is escaped. */
export class Html {
  readonly text: string;

  /** Use {@link html} instead: this trusts the text. */
  constructor(text: string) {
    this.text = text;
  }
}

/** What a template may hold. Nothing is shown for `undefined`, `null` and `false`; lists are joined. */
export type Part = Html | string | number | undefined | null | false | readonly Part[];

/**
 * A template of HTML: every text in it is escaped, for elements and for attributes in double quotes alike.
 *
 * @example
 * html`<a href="${link}">${['a < b', html`<b>c</b>`]}</a>`.text; // …>a &lt; b<b>c</b></a>
 */
export function html(pieces: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = pieces[0]!;
  for (let i = 0; i < parts.length; i++) text += textOf(parts[i]) + pieces[i + 1]!;
  return new Html(text);
}

/** HTML that our own code made. Never call it with text of a catalogue or of a request. */
export function raw(text: string): Html {
  return new Html(text);
}

function textOf(part: Part): string {
  if (part === undefined || part === null || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(textOf).join('');
  return escapeHtml(String(part));
}

/** Marks on one letter that are shown. Scripts need up to four. A pile of more would cover the lines around it. */
const PILE = /(\p{M}{5})\p{M}+/gu;
/** Control characters but for the end of a line and the tab, and halves of pairs. A browser must not guess at them. */
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]|\p{Cs}/gu;
/** What changes the order of the letters around it, and the tags, which no reader sees and a model does. */
const REORDERING = /[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]+/gu;
/** The same in code, where a zero width matters, too. */
const UNSEEN = /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]+/gu;
const PLAIN = /^[\n\t -~]*$/;
/** Runs of unseen characters that are marked in one text. The others are left out. */
const MAX_MARKED = 200;

/** A text of a catalogue for one line: a name, an author, a label. */
export function shownLine(text: string): string {
  const line = cleanLine(text);
  return PLAIN.test(line) ? line : line.replace(PILE, '$1');
}

/** A text of a catalogue for people to read, of any number of lines. */
export function shownProse(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(REORDERING, '').replace(CONTROLS, '\ufffd').replace(PILE, '$1');
}

/**
 * The HTML of code. Characters that nobody sees, and that change what is seen or run, are left out, and an element with
 * their names stands where they were.
 */
export function codeHtml(text: string): string {
  if (PLAIN.test(text)) return escapeHtml(text);
  let html = '';
  let from = 0;
  let marked = 0;
  const shown = text.replace(CONTROLS, '\ufffd');
  for (const { 0: run, index } of shown.matchAll(UNSEEN)) {
    html += escapeHtml(shown.slice(from, index));
    from = index + run.length;
    if (marked++ < MAX_MARKED) html += `<span class="unseen" title="${nameOf(run)}"></span>`;
  }
  return html + escapeHtml(shown.slice(from));
}

/** `U+202E`, and how many there are. */
function nameOf(run: string): string {
  const [first = ''] = run;
  const code = first.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  const count = [...run].length;
  return `U+${code}${count > 1 ? ` and ${count - 1} more` : ''}`;
}

/** Commands with a button that copies them. A line does not end at a hyphen. */
export function codeView(commands: string): Html {
  const code = commands
    .split(/((?<!\S)[^\s-]{0,15}-\S{0,15}(?!\S))/)
    .map((part, i) => (i % 2 === 1 ? html`<span class="word">${part}</span>` : part));
  return raw(codeBox(html`${code}`.text));
}

/** The HTML of code in a box with a button that copies it, which the script of the page shows. */
export function codeBox(code: string, label = ''): string {
  const head = `<div class="code-head">${label}<button type="button" class="copy" hidden>Copy</button></div>`;
  return `<div class="code">${head}<pre dir="ltr" tabindex="0"><code>${code}</code></pre></div>`;
}

/** A number with commas: `94,254`. */
export function shownNumber(value: number): string {
  return value.toLocaleString('en');
}

/** `★ 12,345`, with what that is for those who do not see it. */
export function starsView(stars: number, of = ''): Html {
  return html`<span${of !== '' && html` title="Stars${of}"`}>★ ${shownNumber(stars)}<span class="hidden-text"> stars${of}</span></span>`;
}

/** `1 skill`, `2 skills`, `2 copies`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${shownNumber(count)} ${count === 1 ? noun : plural}`;
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });

/** `31 Jan 2026`; undefined for a time that is unknown. */
export function shownDate(unixSeconds: number): Html | undefined {
  const date = new Date(unixSeconds * 1000);
  if (unixSeconds === 0 || Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999) return undefined;
  return html`<time datetime="${date.toISOString().slice(0, 10)}">${DAY.format(date)}</time>`;
}

/** The beginning of a text, to the end of a word where there is one, in one line. */
export function beginningOf(text: string, length: number): string {
  const line = shownLine(text.slice(0, 2 * length));
  if (line.length <= length) return line;
  const cut = line.slice(0, length);
  const space = cut.lastIndexOf(' ');
  return `${(space > length / 2 ? cut.slice(0, space) : cut).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

const LANGUAGES = new Intl.DisplayNames('en', { type: 'language' });

/** What the language of a text is called; undefined for that of the question and for English, which all pages are in. */
export function otherLanguage(text: string, question = ''): string | undefined {
  const [own, asked] = [text, question].map((one) => textLanguage(one).lang?.split('-')[0]);
  return own === undefined || own === 'en' || own === asked ? undefined : LANGUAGES.of(own);
}

/** A text with pieces of it marked; the pieces ascend and do not overlap. */
export function marked(text: string, pieces: readonly (readonly [start: number, end: number])[]): Html {
  let at = 0;
  const parts = pieces.map(([start, end]) => {
    const before = text.slice(at, start);
    at = end;
    return html`${shownProse(before)}<mark>${shownProse(text.slice(start, end))}</mark>`;
  });
  return html`${parts}${shownProse(text.slice(at))}`;
}

/** Where terms stand in a text, in upper or lower case; longer terms first. For short texts. */
export function placesOf(text: string, terms: readonly string[]): [number, number][] {
  const lower = text.toLowerCase();
  // Some letters become longer in lower case: then places would be wrong.
  if (lower.length !== text.length) return [];
  const places: [number, number][] = [];
  for (const term of terms.toSorted((a, b) => b.length - a.length)) {
    if (term === '') continue;
    for (let at = lower.indexOf(term); at !== -1; at = lower.indexOf(term, at + term.length)) {
      const end = at + term.length;
      if (places.every(([from, to]) => end <= from || at >= to)) places.push([at, end]);
    }
  }
  return places.sort((a, b) => a[0] - b[0]);
}

/** Bytes for people: `512 B`, `1.2 kB`. */
export function shownSize(bytes: number): string {
  const unit = bytes < 999.5 ? 0 : bytes < 999_500 ? 1 : bytes < 999_500_000 ? 2 : 3;
  const amount = bytes / 1000 ** unit;
  return `${amount.toFixed(unit > 0 && amount < 9.95 ? 1 : 0)} ${['B', 'kB', 'MB', 'GB'][unit]}`;
}

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
