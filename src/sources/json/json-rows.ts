import type { Buffer } from 'node:buffer';
import { toOneLine } from '../rows/clean-text.js';
import type { ReadOptions } from '../rows/read-options.js';
import type { KnownRow, RawRow, SourceItem, UnreadableRow } from '../rows/row.js';
import { fingerprintOf } from '../rows/row-fingerprint.js';
import { plainBytes } from './byte-source.js';
import { JsonArray } from './json-array.js';
import { JsonLines } from './json-lines.js';
import type { JsonPiece, JsonSplitter } from './json-piece.js';

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
  const read = rowReader(name, options.isKnown);
  let splitter: JsonSplitter | undefined;
  let blankBefore: Buffer[] = [];

  try {
    for await (const chunk of plainBytes(raw, options)) {
      if (splitter === undefined) {
        blankBefore.push(chunk);
        const first = firstVisible(chunk);
        if (first === undefined) continue;
        splitter = first === 0x5b ? new JsonArray() : new JsonLines();
        // The chunks before are blank, but their line feeds count.
        for (const earlier of blankBefore) yield* items(splitter.push(earlier), read, options);
        blankBefore = [];
      } else {
        yield* items(splitter.push(chunk), read, options);
      }
    }
  } catch (cause) {
    options.signal?.throwIfAborted();
    throw new Error(cause instanceof Error ? cause.message : String(cause), { cause });
  }
  if (splitter !== undefined) yield* items(splitter.end(), read, options);
}

function* items(pieces: Iterable<JsonPiece>, read: RowReader, options: ReadOptions): Generator<SourceItem> {
  for (const piece of pieces) {
    options.signal?.throwIfAborted();
    if ('fault' in piece && piece.cutOff === true) throw new Error(`line ${piece.line}: ${piece.fault}`);
    yield read(piece);
  }
}

function firstVisible(chunk: Buffer): number | undefined {
  return chunk.find((byte) => byte > 0x20);
}

type RowReader = (piece: JsonPiece) => RawRow | KnownRow | UnreadableRow;

/** Turns pieces into rows. If the first one cannot be read, its reason says what a source must look like. */
function rowReader(source: string, isKnown: ReadOptions['isKnown']): RowReader {
  let hint = ' (expected one JSON array, or one JSON object a line)';

  return (piece) => {
    const origin = { source, line: piece.line };
    if ('fault' in piece) {
      const hides = piece.hidesValues === true ? { hidesSkills: true as const } : {};
      return { kind: 'unreadable', origin, reason: piece.fault, ...hides };
    }
    const fingerprint = isKnown === undefined ? undefined : fingerprintOf(piece.bytes);
    if (fingerprint !== undefined && isKnown?.(fingerprint) === true) {
      hint = '';
      return { kind: 'known', origin, fingerprint };
    }
    try {
      const value: unknown = JSON.parse(piece.bytes.toString('utf8'));
      hint = '';
      return fingerprint === undefined ? { kind: 'row', origin, value } : { kind: 'row', origin, value, fingerprint };
    } catch (error) {
      const reason = `not JSON: ${toOneLine(error instanceof Error ? error.message : String(error))}${hint}`;
      hint = '';
      return { kind: 'unreadable', origin, reason, ...(piece.atEnd === true && { hidesSkills: true as const }) };
    }
  };
}
