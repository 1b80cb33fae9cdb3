import type { Buffer } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { toOneLine } from '../rows/clean-text.js';
import type { ReadOptions } from '../rows/read-options.js';
import type { KnownRow, Origin, RawRow, SourceItem, UnreadableRow } from '../rows/row.js';
import { fingerprintOf } from '../rows/row-fingerprint.js';
import { SourceLimit } from './bounded-bytes.js';
import { plainBytes } from './byte-source.js';
import { hasTooManyValues, MAX_ROW_VALUES } from './has-too-many-values.js';
import { JsonArray } from './json-array.js';
import { JsonLines } from './json-lines.js';
import type { JsonBytes, JsonFault, JsonPiece, JsonSplitter } from './json-piece.js';

/**
 * Parts of a JSON source that are not JSON. With more the rest is not read: it is a file of another kind, and each of
 * its lines would take the time of a row.
 */
export const MAX_UNREADABLE_ROWS = 100_000;

const LINE_FEED = 0x0a;

/** A row of more bytes is read in steps, with a turn of the event loop between them. */
const LARGE_ROW_BYTES = 1024 * 1024;

/**
 * The rows of a JSON source: one array if its first character is `[`, else one value a line. Memory holds one row and
 * one chunk at a time.
 *
 * @param name of the source, for reports
 * @throws Error that says what broke if the bytes end in a fault or too early, after all rows before it
 * @throws the signal's reason when aborted
 */
export async function* readJsonRows(
  name: string,
  raw: AsyncIterable<Buffer>,
  options: ReadOptions,
): AsyncGenerator<SourceItem> {
  const reader = new RowReader(name, options.isKnown);
  let splitter: JsonSplitter | undefined;
  let line = 1;

  try {
    for await (const chunk of plainBytes(raw, options)) {
      if (splitter === undefined) {
        const first = firstVisible(chunk);
        if (first === undefined) {
          // Nothing of a blank chunk is kept but the number of its lines.
          line += countLineFeeds(chunk);
          continue;
        }
        splitter = first === 0x5b ? new JsonArray(undefined, line) : new JsonLines(undefined, line);
      }
      for (const item of items(splitter.push(chunk), reader, options)) {
        if (item === undefined) await setImmediate();
        else yield item;
      }
    }
  } catch (cause) {
    options.signal?.throwIfAborted();
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(cause instanceof SourceLimit ? `line ${splitter?.line ?? line}: ${message}` : message, { cause });
  }
  for (const item of items(splitter?.end() ?? [], reader, options)) {
    if (item === undefined) await setImmediate();
    else yield item;
  }
}

/** The items that pieces become, and undefined where the event loop should get a turn. */
function* items(
  pieces: Iterable<JsonPiece>,
  reader: RowReader,
  { signal }: ReadOptions,
): Generator<SourceItem | undefined> {
  for (const piece of pieces) {
    signal?.throwIfAborted();
    if ('fault' in piece) {
      if (piece.cutOff === true) throw new Error(`line ${piece.line}: ${piece.fault}`);
      yield reader.unreadable(piece);
      continue;
    }
    // Each step of a large row keeps the event loop for some time.
    const isLarge = piece.bytes.length > LARGE_ROW_BYTES;
    if (isLarge) yield undefined;
    const fingerprint = reader.fingerprint(piece);
    if (isLarge) yield undefined;
    yield reader.read(piece, fingerprint);
    if (isLarge) yield undefined;
  }
}

// Both are loops over bytes, because ten gigabytes may be blank.
function firstVisible(bytes: Buffer): number | undefined {
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i]! > 0x20) return bytes[i];
  }
  return undefined;
}

function countLineFeeds(bytes: Buffer): number {
  let count = 0;
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] === LINE_FEED) count++;
  }
  return count;
}

/** Turns pieces into rows. If the first one cannot be read, its reason says what a source must look like. */
class RowReader {
  readonly #source: string;
  readonly #isKnown: ReadOptions['isKnown'];
  #unreadable = 0;
  #hint = ' (expected one JSON array, or one JSON object a line)';

  constructor(source: string, isKnown: ReadOptions['isKnown']) {
    this.#source = source;
    this.#isKnown = isKnown;
  }

  /** @throws {SourceLimit} */
  unreadable({ line, fault }: JsonFault): UnreadableRow {
    this.#countUnreadable();
    return unreadableRow({ source: this.#source, line }, fault);
  }

  /** Undefined if nobody asks whether rows are known. */
  fingerprint(piece: JsonBytes): string | undefined {
    return this.#isKnown === undefined ? undefined : fingerprintOf(piece.bytes);
  }

  read(piece: JsonBytes, fingerprint: string | undefined): RawRow | KnownRow | UnreadableRow {
    const origin = { source: this.#source, line: piece.line };
    if (fingerprint !== undefined && this.#isKnown?.(fingerprint) === true) {
      this.#hint = '';
      return { kind: 'known', origin, fingerprint };
    }
    if (hasTooManyValues(piece.bytes)) {
      const reason = `more than ${MAX_ROW_VALUES.toLocaleString('en')} values in one row`;
      return unreadableRow(origin, reason);
    }
    try {
      const value: unknown = JSON.parse(piece.bytes.toString('utf8'));
      this.#hint = '';
      return fingerprint === undefined ? { kind: 'row', origin, value } : { kind: 'row', origin, value, fingerprint };
    } catch (error) {
      this.#countUnreadable();
      const reason = `not JSON: ${toOneLine(error instanceof Error ? error.message : String(error))}${this.#hint}`;
      this.#hint = '';
      return unreadableRow(origin, reason);
    }
  }

  #countUnreadable(): void {
    this.#unreadable += 1;
    if (this.#unreadable <= MAX_UNREADABLE_ROWS) return;
    const count = MAX_UNREADABLE_ROWS.toLocaleString('en');
    throw new SourceLimit(`more than ${count} rows that are not JSON, the rest is not read: is this a JSON source?`);
  }
}

/** Nobody can tell which skill it was. So nothing of the source may be pruned. */
function unreadableRow(origin: Origin, reason: string): UnreadableRow {
  return { kind: 'unreadable', origin, reason, hidesSkills: true };
}
