import { locationIn } from './place.js';
import type { SkillColumns } from './stored-skill.js';

/** The columns of a skill that a packed record does without. */
export type BesideRecord = Pick<SkillColumns, 'id' | 'stars' | 'updatedAt' | 'place'>;

/** The fields of a record that stand in it. */
interface Fields {
  readonly name: string;
  readonly author: string;
  readonly description: string;
  readonly codehostUrl: string;
  readonly skillUrl: string;
}

/** The eight fields of a record. */
export interface RecordFields extends Fields {
  readonly id: string;
  readonly stars: number;
  readonly updatedAt: number;
}

/**
 * A packed record has the texts of a record, each as in JSON between its quotation marks:
 *
 *     MARK name MARK author MARK description MARK codehostUrl MARK skillUrl
 *
 * The names of the fields are always the same, and `id`, `stars` and `updatedAt` have columns of their own. Nor is
 * said again what these and the column `place` say: an address on GitHub, and the id that an address ends in. JSON has
 * none of the characters that stand for them, nor {@link MARK}.
 */
const MARK = '\u001f';
/** An address on GitHub that ends in the path of the place; the branch follows, but for `HEAD`. */
const FOLDER = '\u0001';
/** Likewise without the path. */
const REPOSITORY = '\u0002';
/** The id. */
const ID = '\u0003';

const GITHUB = 'https://github.com/';
const TREE = '/tree/';
const USUAL_BRANCH = 'HEAD';

/** What is stored of a record: itself if it cannot be told from its packed form. */
export function packRecord(record: string, beside: BesideRecord): string {
  const address = textInRecord(record, 'codehostUrl');
  const shown = textInRecord(record, 'skillUrl');
  const id = JSON.stringify(beside.id).slice(1, -1);
  const packed = [
    '',
    textInRecord(record, 'name'),
    textInRecord(record, 'author'),
    textInRecord(record, 'description'),
    packAddress(address, beside.place) ?? address,
    shown.endsWith(id) ? shown.slice(0, shown.length - id.length) + ID : shown,
  ].join(MARK);
  return unpackRecord(packed, beside) === record ? packed : record;
}

/**
 * A text of a record as it stands there between quotation marks: to read the whole record would take longer.
 *
 * @param record as `toColumns` writes it
 */
export function textInRecord(record: string, field: keyof Fields): string {
  // A quotation mark inside a text has a backslash before it, so these stand nowhere else.
  const before = `,"${field}":"`;
  const start = record.indexOf(before) + before.length;
  return record.slice(start, record.indexOf(AFTER[field], start));
}

/** What follows a text. */
const AFTER: Readonly<Record<keyof Fields, string>> = {
  name: '","author":"',
  author: '","description":"',
  description: '","codehostUrl":"',
  codehostUrl: '","skillUrl":"',
  skillUrl: '","stars":',
};

/** The record that is stored. */
export function unpackRecord(stored: string, beside: BesideRecord): string {
  const parts = readParts(stored);
  return parts === undefined ? stored : recordOf(parts, beside, unpackAddress(parts[4], beside.place));
}

/**
 * The record that is stored, and its fields. Does not parse JSON where it need not.
 *
 * @throws {SyntaxError} if the record is damaged
 */
export function unpackWithFields(
  stored: string,
  beside: BesideRecord,
): { readonly record: string; readonly fields: RecordFields } {
  const parts = readParts(stored);
  if (parts === undefined) return { record: stored, fields: JSON.parse(stored) as RecordFields };
  const unpacked = unpackAddress(parts[4], beside.place);
  const record = recordOf(parts, beside, unpacked);
  if (stored.includes('\\')) return { record, fields: JSON.parse(record) as RecordFields };
  const { id, stars, updatedAt } = beside;
  const [, name, author, description, address, shown] = parts;
  const codehostUrl = unpacked ?? address;
  const skillUrl = shown.endsWith(ID) ? shown.slice(0, -1) + id : shown;
  return { record, fields: { id, name, author, description, codehostUrl, skillUrl, stars, updatedAt } };
}

/**
 * The fields of a stored record.
 *
 * @throws {SyntaxError} if the record is damaged
 */
export function fieldsOf(stored: string, beside: BesideRecord): RecordFields {
  return unpackWithFields(stored, beside).fields;
}

/** @param codehostUrl if the place says it */
function recordOf(parts: Parts, { id, stars, updatedAt }: BesideRecord, codehostUrl: string | undefined): string {
  const [, name, author, description, address, shown] = parts;
  const inId = JSON.stringify(id);
  const inAddress = codehostUrl === undefined ? `"${address}"` : JSON.stringify(codehostUrl);
  const inShown = shown.endsWith(ID) ? shown.slice(0, -1) + inId.slice(1) : `${shown}"`;
  return (
    `{"id":${inId},"name":"${name}","author":"${author}","description":"${description}",` +
    `"codehostUrl":${inAddress},"skillUrl":"${inShown},"stars":${stars},"updatedAt":${updatedAt}}`
  );
}

/** The parts of a packed record; the first is empty. */
type Parts = readonly ['', name: string, author: string, description: string, address: string, shown: string];

/** Undefined if the record is not packed. */
function readParts(stored: string): Parts | undefined {
  if (!stored.startsWith(MARK)) return undefined;
  const parts = stored.split(MARK);
  return parts.length === 6 ? (parts as unknown as Parts) : undefined;
}

/** Undefined unless the place says it. */
function packAddress(address: string, place: string): string | undefined {
  const [repository, path] = repositoryOf(place);
  const before = GITHUB + repository + TREE;
  if (repository === '' || !address.startsWith(before)) return undefined;
  const isFolder = path !== '' && address.endsWith(path) && address.length > before.length + path.length;
  const branch = address.slice(before.length, isFolder ? -path.length : undefined);
  if (!/^[\w.-]+$/.test(branch)) return undefined;
  return (isFolder ? FOLDER : REPOSITORY) + (branch === USUAL_BRANCH ? '' : branch);
}

/** Undefined if it is not packed. */
function unpackAddress(packed: string, place: string): string | undefined {
  const isFolder = packed.startsWith(FOLDER);
  if (!isFolder && !packed.startsWith(REPOSITORY)) return undefined;
  const [repository, path] = repositoryOf(place);
  const branch = packed.length === 1 ? USUAL_BRANCH : packed.slice(1);
  return GITHUB + repository + TREE + branch + (isFolder ? path : '');
}

/** The `owner/repo` that a place begins with, and what follows. */
function repositoryOf(place: string): readonly [repository: string, path: string] {
  const location = locationIn(place);
  const owner = location.indexOf('/');
  if (owner < 0) return ['', location];
  const [slash, hash] = [location.indexOf('/', owner + 1), location.indexOf('#', owner + 1)];
  const end = slash < 0 || (hash >= 0 && hash < slash) ? hash : slash;
  return end < 0 ? [location, ''] : [location.slice(0, end), location.slice(end)];
}
