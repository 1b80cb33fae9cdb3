import { createHash } from 'node:crypto';
import { MAX_FILTER_TIME, MAX_NAME } from './limits.js';

/**
 * What nobody sees: all that Unicode lets a display ignore (zero widths, joiners, bidirectional controls, variation
 * selectors, tags, fillers, the soft hyphen), the blank of Braille, and what no XML may hold.
 */
const INVISIBLE = String.raw`\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb\ufffe\uffff`;

/** Scripts whose letters take another form, or another meaning, at a joiner behind them. */
const JOINED = ['Arab', 'Syrc', 'Nkoo', 'Mong', 'Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml']
  .concat('Telu', 'Knda', 'Mlym', 'Sinh', 'Tibt', 'Mymr', 'Khmr')
  .map((script) => String.raw`\p{scx=${script}}`)
  .join('');

/** Invisible characters that belong to what is seen, one at a time: so no row of them can carry a message. */
const SEEN = [
  // The colours or lines of an emoji, and a digit in a key.
  String.raw`(?<=\p{Extended_Pictographic}\p{Emoji_Modifier}?)[\ufe0e\ufe0f]`,
  String.raw`(?<=[#*0-9])\ufe0f(?=\u20e3)`,
  // Two emoji in one.
  String.raw`(?<=\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=(?!\p{Default_Ignorable_Code_Point})[${JOINED}])[\u200c\u200d]`,
].join('|');

const HIDDEN = new RegExp(`(?!${SEEN})[${INVISIBLE}]`, 'gu');
/** Most texts have nothing to clean but blanks at their ends. */
const PLAIN = /^[!-~]*(?: [!-~]+)*$/;

/**
 * A text that another party wrote, in one line and without what acts on the text around it, or hides from people:
 * control characters, ends of lines, bidirectional controls, invisible characters. Joiners stay where emoji and scripts
 * need them.
 */
export function cleanLine(text: string): string {
  if (PLAIN.test(text)) return text;
  // Halves of pairs first: two of them would become a character when what is between them goes.
  return text
    .replace(/\p{Cs}/gu, ' ')
    .replace(HIDDEN, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/**
 * The characters of the Unicode property White_Space. Written out, because Node takes milliseconds to find out which
 * they are, and it does that when it reads a file that names the property.
 */
const WHITE_SPACE = /[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/**
 * A text without the white space around it, whatever kind that is. Without a pattern for trailing white space: that
 * takes quadratic time if there is much white space inside.
 */
export function trimWhiteSpace(text: string): string {
  const isSpace = (i: number): boolean => WHITE_SPACE.test(text[i]!);
  let start = 0;
  while (start < text.length && isSpace(start)) start++;
  let end = text.length;
  while (end > start && isSpace(end - 1)) end--;
  return text.slice(start, end);
}

/** The number of characters of a text, by Unicode code points. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/**
 * Compares two texts by code points, which is the order of their UTF-8 bytes. `<` compares UTF-16 units: its order
 * differs if a text has a character beyond U+FFFF.
 */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [unitA, unitB] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (unitA !== unitB) return rankOf(unitA) - rankOf(unitB);
  }
  return a.length - b.length;
}

/** Surrogates belong to code points above those of all other units. */
function rankOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/**
 * What two user names have in common that differ in case, or in how an accent is encoded. The way over capitals makes
 * letters equal that `toLowerCase` alone keeps apart (ß and SS, σ and ς).
 *
 * @example
 * authorKey('Anthropics') === authorKey('anthropics'); // true
 */
export function authorKey(author: string): string {
  return author.normalize('NFC').toUpperCase().toLowerCase();
}

/**
 * What two statements of a licence share if they differ in upper and lower case, and in the white space around them, at
 * most.
 *
 * @returns undefined for a text that is too long to name a licence
 * @example
 * licenseKey('MIT ') === licenseKey('mit'); // true
 */
export function licenseKey(license: string): string | undefined {
  const name = license.trim();
  // A code point has at most two units.
  if (name.length > 2 * MAX_NAME || countCodePoints(name) > MAX_NAME) return undefined;
  return authorKey(name);
}

/** A date, or a time with or without seconds and zone. */
const ISO_8601 =
  /^(?<date>\d{4}-\d\d-\d\d)(?:[Tt ](?<time>\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?<zone>[Zz]|[+-]\d\d:\d\d)?)?$/;

/**
 * Reads a date or a time as ISO 8601 has it: `2026-01-31`, `2026-01-31T12:00:00Z`, `2026-01-31T13:00+01:00`. Without a
 * zone it is UTC; a date is its first moment.
 *
 * @returns Unix seconds, with a fraction if it has one, at most {@link MAX_FILTER_TIME}; undefined if it is no such
 *   text, or there is no such day
 */
export function readTime(text: string): number | undefined {
  const { date, time = '00:00', zone = 'Z' } = ISO_8601.exec(text)?.groups ?? {};
  if (date === undefined) return undefined;
  const midnight = Date.parse(`${date}T00:00Z`);
  // `Date.parse` takes the 30th of February for a day in March, and 24:00 for the next day.
  const isDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date);
  const seconds = Date.parse(`${date}T${time}${zone.toUpperCase()}`) / 1000;
  if (!isDay || time.startsWith('24') || Number.isNaN(seconds)) return undefined;
  return Math.min(seconds, MAX_FILTER_TIME);
}

/** Longest name of a skill by the Agent Skills specification, in characters. */
export const LONGEST_SKILL_NAME = 64;

/** Whether a name is made of lower-case letters, digits and single hyphens, however long it is. */
export function hasSkillNameForm(name: string): boolean {
  return /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name);
}

/** Whether a name keeps the rules of the Agent Skills specification, so that a folder can have it everywhere. */
export function isSkillName(name: string): boolean {
  return name.length <= LONGEST_SKILL_NAME && hasSkillNameForm(name);
}

/** What stands for an installation in the columns of a catalogue. Neither an agent nor a scope has a slash. */
export function installationKey(agent: string, scope: string): string {
  return `${agent}/${scope}`;
}

/** The agent and the scope that a key stands for. */
export function partsOfInstallation(key: string): { readonly agent: string; readonly scope: string } {
  const slash = key.indexOf('/');
  return { agent: key.slice(0, slash), scope: key.slice(slash + 1) };
}

/** Whether a value, of JSON as a rule, is an object: no list and not null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const FRONT_MATTER = /^\ufeff?---[\t ]*\r?\n(?:([\s\S]*?)\r?\n)?---[\t ]*(?:\r?\n|$)/;

/**
 * The front matter of a Markdown text, between two lines `---` at its very beginning, and what follows it. Hosts of
 * skills look for nothing else; a catalogue is read with more patience, see `readSkillMarkdown` of the sources.
 */
export function splitFrontMatter(text: string): { readonly frontMatter: string | undefined; readonly body: string } {
  const found = FRONT_MATTER.exec(text);
  if (found === null) return { frontMatter: undefined, body: text };
  return { frontMatter: found[1] ?? '', body: text.slice(found[0].length) };
}

/** The SHA-256 of bytes, or of a text as UTF-8, in hexadecimal digits. */
export function sha256Of(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
