import { Buffer } from 'node:buffer';
import { isAbsolute } from 'node:path';
import { isObject, MAX_DESCRIPTION, MAX_ID, MAX_NAME } from '../../core/index.js';
import { SKILL_SCOPES, type SkillInstallation, type SkillProperties, UNKNOWN } from '../../skill.js';
import type { RawRow, SkillDraft } from './row.js';
import { MAX_LOCATION, rowFiles, withoutSharedBytes } from './row-files.js';
import { locationOfUrl } from './skill-id.js';
import { cleanText, cutCodePoints, isBlank, withoutControls } from './texts.js';

/** Longest label of a category or occupation, and longest tag, in characters. A longer one is left out: it is prose. */
const MAX_LABEL = 200;

/** Largest number of categories, of occupations, and of tags of one skill. More describe nothing. */
const MAX_LABELS = 64;

/** Largest `metadata` of one skill, in bytes of JSON. Each answer for the skill carries it. */
const MAX_METADATA_BYTES: number = 16 * 1024;

/** Largest front matter that is kept of one skill, in bytes of JSON. What search uses is read from larger ones, too. */
const MAX_FRONT_MATTER_BYTES: number = 64 * 1024;

/** What a row becomes: a skill, or the reason why not. */
export type CheckedRow =
  | {
      readonly kind: 'skill';
      readonly draft: SkillDraft;
      /** Those from reading the row come first. */
      readonly warnings: readonly string[];
    }
  | {
      readonly kind: 'rejected';
      readonly reason: string;
      /** The id that the row brings, if any. */
      readonly id?: string;
    };

/** A line break with the white space around it. The lookbehind keeps long white space from taking quadratic time. */
const LINE_BREAK = /(?<!\s)\s*[\r\n\u2028\u2029]\s*/g;

/**
 * Characters of a text of bounded length that are looked at. Far more than any bound, so that cleaning may shorten it.
 */
const LONGEST_READ = 4 * 1024 * 1024;

type Row = Readonly<Record<string, unknown>>;

/**
 * Checks a row and makes a skill of it. Name and description are required. Everything else has a default, or is
 * corrected with a warning. Never throws, whatever the row contains.
 */
export function checkRow(row: RawRow): CheckedRow {
  const { value } = row;
  if (!isObject(value)) return { kind: 'rejected', reason: `expected an object, got ${kindOf(value)}` };

  const warnings = [...(row.warnings ?? [])];
  const id = readId(value['id'], warnings);
  const name = readText(value, 'name', MAX_NAME, warnings);
  const description = readText(value, 'description', MAX_DESCRIPTION, warnings);
  const fault = name.fault ?? description.fault;
  if (fault !== undefined) return { kind: 'rejected', reason: fault, ...(id !== undefined && { id }) };

  const author = readAuthor(value['author'], warnings);
  const codehostUrl = readUrl(value['codehostUrl'] ?? value['githubUrl'], 'codehostUrl', warnings);
  const given =
    row.location ?? (String(value['place']).length > MAX_LOCATION ? undefined : readLine(value['place'], MAX_LOCATION));
  const ofUrl = given === undefined ? locationOfUrl(codehostUrl) : undefined;
  const location = given ?? ofUrl?.location ?? `${author}/${name.text}`;
  const { files, contents } = rowFiles(value['files'], description.text, warnings);
  const installations = readInstallations(row, value['installations'], warnings);
  const draft: SkillDraft = {
    id,
    location,
    exactLocation: ofUrl?.isWholeRepository === true ? `${location}#${name.text}` : location,
    name: name.text,
    author,
    description: description.text,
    codehostUrl,
    skillUrl: readUrl(value['skillUrl'], 'skillUrl', warnings),
    stars: readStars(value['stars'], warnings),
    updatedAt: readTime(value['updatedAt'] ?? value['updated_at'], warnings),
    categories: readLabels(value, 'categories', 'category', warnings),
    occupations: readLabels(value, 'occupations', 'occupation', warnings),
    tags: readTags(value['tags'], warnings),
    properties: readProperties(value, warnings),
    ...(installations.length > 0 && { installations }),
    files,
    contents: row.contents === undefined ? contents : withoutSharedBytes(row.contents, files),
  };
  return { kind: 'skill', draft, warnings };
}

function readId(value: unknown, warnings: string[]): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' && !(typeof value === 'number' && Number.isFinite(value))) {
    warnings.push(`id: expected text, got ${kindOf(value)}; derived instead`);
    return undefined;
  }
  const id = withoutControls(beginning(String(value)));
  if (isBlank(id)) return undefined;
  if (cutCodePoints(id, MAX_ID) !== id) {
    warnings.push(`id: longer than ${MAX_ID} characters; derived instead`);
    return undefined;
  }
  return id;
}

type Text = { readonly text: string; readonly fault?: undefined } | { readonly text: ''; readonly fault: string };

/** Reads a required text of bounded length. */
function readText(row: Row, field: 'name' | 'description', max: number, warnings: string[]): Text {
  const value = row[field];
  if (typeof value !== 'string') return { text: '', fault: `${field}: expected text, got ${kindOf(value)}` };
  const clean = cleanText(beginning(value)).trim();
  const given = field === 'name' ? clean.replace(LINE_BREAK, ' ') : clean;
  const text = cutCodePoints(given, max);
  if (isBlank(text)) return { text: '', fault: `${field}: expected text, got blank text` };
  if (text.length < given.length || value.length > LONGEST_READ) warnings.push(`${field}: cut at ${max} characters`);
  return { text };
}

function readAuthor(value: unknown, warnings: string[]): string {
  const author = readLine(value, MAX_NAME);
  if (author !== undefined && author.length < withoutControls(beginning(value as string)).length) {
    warnings.push(`author: cut at ${MAX_NAME} characters`);
  }
  return author ?? UNKNOWN;
}

/** A text without control characters; undefined if it shows nothing. */
function readLine(value: unknown, max: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  const line = cutCodePoints(withoutControls(beginning(value)), max);
  return isBlank(line) ? undefined : line;
}

function readUrl(value: unknown, field: string, warnings: string[]): string {
  if (typeof value !== 'string' || isBlank(beginning(value)) || value.trim() === UNKNOWN) return UNKNOWN;
  const url = toPublicUrl(beginning(value));
  if (url === undefined) warnings.push(`${field}: not an address that others can open; left out`);
  return url ?? UNKNOWN;
}

function readStars(value: unknown, warnings: string[]): number {
  if (value === undefined || value === null) return 0;
  const stars = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof stars !== 'number' || Number.isNaN(stars)) {
    warnings.push(`stars: expected a number, got ${kindOf(value)}; 0 instead`);
    return 0;
  }
  if (!Number.isFinite(stars) || stars < 0) return 0;
  return Math.min(Math.floor(stars), Number.MAX_SAFE_INTEGER);
}

function readTime(value: unknown, warnings: string[]): number {
  if (value === undefined || value === null || value === '') return 0;
  const seconds = toUnixSeconds(value);
  if (seconds === undefined)
    warnings.push('updatedAt: expected Unix seconds, milliseconds or ISO 8601 since 1970; 0 instead');
  return seconds ?? 0;
}

function readLabels(row: Row, plural: string, singular: string, warnings: string[]): string[] {
  const given = [row[plural], row[singular]].flatMap((value) => (value === undefined || value === null ? [] : value));
  if (given.length === 0) return [];

  const slugs = new Set<string>();
  for (const label of given) {
    const slug = typeof label === 'string' && label.length <= MAX_LABEL ? labelSlug(label) : '';
    if (slug === '') warnings.push(`${plural}: a label that makes no slug; left out`);
    else slugs.add(slug);
  }
  return firstLabels(plural, slugs, warnings);
}

/** Most tags of a row that are looked at, blank and repeated ones included. */
const MAX_TAGS_READ = 10 * MAX_LABELS;

/** Tags are kept as they are written. In one text they are separated by commas. */
function readTags(given: unknown, warnings: string[]): string[] {
  if (given === undefined || given === null) return [];
  const isOneText = typeof given === 'string';
  const list: unknown[] = isOneText ? given.split(',', MAX_TAGS_READ + 1) : [given].flat();
  const tags = new Set<string>();
  for (const value of list.slice(0, MAX_TAGS_READ)) {
    const tag = typeof value === 'string' && value.length <= MAX_LABEL ? withoutControls(value) : '';
    if (!isBlank(tag)) tags.add(tag);
    // Between two commas there may be nothing.
    else if (!isOneText || value !== '') warnings.push('tags: a tag that shows nothing, or is too long; left out');
  }
  return firstLabels('tags', tags, warnings, Math.max(0, list.length - MAX_TAGS_READ));
}

/** @param unread how many more there are, at least */
function firstLabels(field: string, labels: ReadonlySet<string>, warnings: string[], unread = 0): string[] {
  const left = Math.max(0, labels.size - MAX_LABELS) + unread;
  if (left > 0) warnings.push(`${field}: more than ${MAX_LABELS}; the last ${left} are left out`);
  return [...labels].slice(0, MAX_LABELS);
}

function readProperties(row: Row, warnings: string[]): SkillProperties {
  const tools = row['allowed-tools'] ?? row['allowedTools'];
  const properties = {
    license: readProperty(row['license']),
    compatibility: readProperty(row['compatibility']),
    allowedTools: readProperty(
      Array.isArray(tools) ? tools.filter((tool) => typeof tool === 'string').join(' ') : tools,
    ),
    metadata: readObject(row['metadata'], 'metadata', MAX_METADATA_BYTES, warnings),
    frontMatter: readObject(row['frontMatter'], 'frontMatter', MAX_FRONT_MATTER_BYTES, warnings),
    // What is too large to be kept counts here, too.
    invocable: isInvocable(row) ? undefined : false,
  };
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined)) as SkillProperties;
}

function readProperty(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = cutCodePoints(cleanText(beginning(value)).trim(), MAX_DESCRIPTION);
  return isBlank(text) ? undefined : text;
}

/** Reads an object of any content, of at most so many bytes of JSON. */
function readObject(
  value: unknown,
  field: string,
  maxBytes: number,
  warnings: string[],
): Record<string, unknown> | undefined {
  if (!isObject(value)) return undefined;
  // Stops early: a row may bring megabytes of it.
  let left = maxBytes;
  try {
    // The store keeps it as JSON, so only what JSON can carry must remain.
    const json = JSON.stringify(value, (_, inner: unknown) => {
      if (typeof inner !== 'string') return inner;
      const text = cleanText(beginning(inner));
      left -= text.length;
      if (left < 0) throw new RangeError('too large');
      return text;
    });
    left = Math.min(left, maxBytes - Buffer.byteLength(json));
    if (left >= 0) return JSON.parse(json) as Record<string, unknown>;
  } catch {
    // Told below.
  }
  warnings.push(`${field}: ${left < 0 ? `over ${maxBytes / 1024} KiB` : 'not JSON'}; left out`);
  return undefined;
}

/** A text as far as it can matter: what follows would be cut off, and looking through megabytes takes time. */
function beginning(text: string): string {
  return text.length > LONGEST_READ ? text.slice(0, LONGEST_READ) : text;
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Longest name of an agent, in characters. It is a slug, and stands in an address. */
const MAX_AGENT = 64;

/** Largest number of installations of one skill. There are some seventy agents, and each has a few scopes. */
const MAX_INSTALLATIONS = 256;

const AGENT = new RegExp(`^[a-z0-9-]{1,${MAX_AGENT}}$`);

/**
 * The installations of a row: those that its source found, or those that the row itself names. A row may come from
 * anybody, so no path is taken from it: agents read, and people run, what lies at such a path.
 *
 * @param named what the row has in its field `installations`
 * @param warnings gets one for each installation that is left out
 */
function readInstallations(row: RawRow, named: unknown, warnings: string[]): readonly SkillInstallation[] {
  const given = row.installations ?? named ?? [];
  if (!Array.isArray(given)) {
    warnings.push('installations: expected a list; left out');
    return [];
  }
  const found = new Map<string, SkillInstallation>();
  for (const value of given.slice(0, MAX_INSTALLATIONS) as readonly unknown[]) {
    const installation = readInstallation(value, row.installations !== undefined);
    if (typeof installation === 'string') warnings.push(`installations: ${installation}; left out`);
    else found.set(JSON.stringify(installation), installation);
  }
  const left = given.length - MAX_INSTALLATIONS;
  if (left > 0) warnings.push(`installations: more than ${MAX_INSTALLATIONS}; the last ${left} are left out`);
  return [...found.values()];
}

/** @returns what is wrong with it, if it is no installation */
function readInstallation(value: unknown, withPath: boolean): SkillInstallation | string {
  if (!isObject(value)) return 'one that is no object';
  const { agent, scope: named, plugin: ofPlugin, path } = value;
  if (typeof agent !== 'string' || !AGENT.test(agent)) {
    return `one whose agent is no slug of at most ${MAX_AGENT} characters`;
  }
  const scope = SKILL_SCOPES.find((one) => one === named);
  if (scope === undefined) return `one whose scope is none of ${SKILL_SCOPES.join(', ')}`;
  const isPath =
    typeof path === 'string' && path.length <= MAX_LOCATION && isAbsolute(path) && cleanText(path) === path;
  if (withPath && !isPath) return 'one whose path is not absolute, or no text that can be stored';
  const plugin = readLine(ofPlugin, MAX_NAME);
  return { agent, scope, ...(withPath && { path: path as string }), ...(plugin !== undefined && { plugin }) };
}

/**
 * Whether a model may call the skill of a row. Its front matter says no with `disable-model-invocation: true`, or with
 * `internal: true` in its `metadata`.
 *
 * @param row with the fields `frontMatter` and `metadata`, if it has them
 */
function isInvocable(row: Readonly<Record<string, unknown>>): boolean {
  const frontMatter = row['frontMatter'];
  const internal = [row['metadata'], fieldOf(frontMatter, 'metadata')].map((metadata) => fieldOf(metadata, 'internal'));
  return ![fieldOf(frontMatter, 'disable-model-invocation'), ...internal].some(isTrue);
}

function fieldOf(object: unknown, key: string): unknown {
  return isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Front matter is kept as it was written: `true` is a text there. */
function isTrue(value: unknown): boolean {
  return value === true || (typeof value === 'string' && /^\s{0,9}true\s{0,9}$/i.test(value));
}

/** The slug of a category or occupation, `[a-z0-9-]`. Empty if the label has neither a Latin letter nor a digit. */
function labelSlug(label: string): string {
  if (/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(label)) return label;
  const plain = label
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
}

/** Numbers from here on are milliseconds. In seconds this would be the year 5138. */
const FIRST_MILLISECOND = 1e11;

const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;
const ISO_8601 =
  /^[+-]?\d{4,6}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\s*(?:Z|[+-]\d{2}(?::?\d{2})?)?)?)?$/i;

/**
 * Reads a time in seconds, milliseconds (numbers from 1e11 on), either also as text, or ISO 8601 (UTC if without a
 * zone).
 *
 * @returns Unix seconds, an integer; undefined if it is none of these or before 1970
 */
function toUnixSeconds(value: unknown): number | undefined {
  if (typeof value === 'number') return fromNumber(value);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (NUMBER.test(text)) return fromNumber(Number(text));
  if (!ISO_8601.test(text)) return undefined;
  return fromNumber(Math.floor(Date.parse(utc(text)) / 1000), true);
}

function fromNumber(value: number, isSeconds = false): number | undefined {
  if (!Number.isFinite(value) || value < 0) return undefined;
  const seconds = !isSeconds && value >= FIRST_MILLISECOND ? value / 1000 : value;
  return Math.min(Math.floor(seconds), Number.MAX_SAFE_INTEGER);
}

/** Rewrites a time for Date.parse, which would read a time without a zone as local time. */
function utc(text: string): string {
  const [date = '', time] = text
    .replace(',', '.')
    .replace(/\s+(?=[Z+-])/i, '')
    .split(/[T ]/i);
  if (time === undefined) return date;
  const zoned = /(?:Z|[+-]\d{2}(?::?\d{2})?)$/i.test(time) ? time : `${time}Z`;
  return `${date}T${zoned.replace(/([+-]\d{2}):?(\d{2})?$/, (_, hours: string, minutes = '00') => `${hours}:${minutes}`)}`;
}

/** Longest accepted address, in characters. */
const MAX_URL = 2048;

/** Schemes that lead to the reader's own machine, or run code when shown as a link. */
const REFUSED: ReadonlySet<string> = new Set(['file', 'javascript', 'data', 'vbscript', 'blob']);

/**
 * Makes an address fit to be shown to others: with a scheme, not a local path, without a password. Returns undefined if
 * the text is not such an address.
 */
function toPublicUrl(text: string): string | undefined {
  const url = withoutControls(text);
  // One letter before the colon is a Windows drive.
  const [, scheme] = /^([a-z][a-z0-9+.-]+):\S/i.exec(url) ?? [];
  if (scheme === undefined || url.length > MAX_URL || REFUSED.has(scheme.toLowerCase())) return undefined;
  return url.replace(/^([a-z0-9+.-]+:\/\/)(?:[^/?#@]*@)+/i, (whole, start: string) =>
    /^https?:/i.test(start) || whole.includes(':', start.length) ? start : whole,
  );
}
