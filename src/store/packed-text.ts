import { Buffer } from 'node:buffer';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { textInRecord } from './packed-record.js';
import { TEXT_DICTIONARY } from './text-dictionary.js';

/**
 * A packed text, as it is stored, either
 *
 *     0  2, for the description of the skill: 1 byte, and no more
 *
 * or
 *
 *     0  1, 1 byte
 *     1  bytes of the text in UTF-8, 3 bytes, little-endian
 *     4  raw deflate of these bytes, with a preset dictionary: the text dictionary, then the record of the skill
 *
 * Most texts begin with what the record says, name and description. So a packed text can be read only with the record
 * that it was packed with: whoever reads one has compared the record with its checksum before.
 */
const DEFLATED = 1;
const DESCRIPTION = Buffer.of(2);
const HEAD_BYTES = 4;

/** Texts of fewer bytes stay as they are: two of them save less than the page of the database that they lie in. */
const SHORTEST = 64;
/** More does not fit the head. */
const LONGEST: number = 2 ** 24 - 1;

/** The level of compression. That of zlib itself takes a tenth longer, for one byte in a hundred. */
const LEVEL = 4;

/**
 * For texts that lie with the dictionary in a window of 16 KB, as most do: a compressor takes a third of the memory,
 * which V8 counts as garbage after each text. Packed texts are the same.
 */
const SMALL_COMPRESSOR = { windowBits: 14, memLevel: 6 } as const;
const SMALL_WINDOW: number = 2 ** SMALL_COMPRESSOR.windowBits;

/** Bytes of a record that count: enough for the longest description of most skills. */
const RECORD_BYTES = 4096;

const dictionaries: Buffer = Buffer.alloc(TEXT_DICTIONARY.length + RECORD_BYTES);
TEXT_DICTIONARY.copy(dictionaries);

/** The dictionary of a skill's texts. Valid until the next call. */
function dictionaryOf(record: string): Buffer {
  const written = dictionaries.write(record, TEXT_DICTIONARY.length);
  return dictionaries.subarray(0, TEXT_DICTIONARY.length + written);
}

/**
 * What is stored of a text: itself if packing does not make it shorter.
 *
 * @param record of the skill, as `toColumns` writes it
 */
export function packText(text: string, record: string): string | Buffer {
  const bytes = Buffer.from(text);
  const { length } = bytes;
  // A lone surrogate would not come back.
  if (length < SHORTEST || length > LONGEST || !text.isWellFormed()) return text;
  if (isDescription(text, record)) return DESCRIPTION;
  const dictionary = dictionaryOf(record);
  const compressor = dictionary.length + length <= SMALL_WINDOW ? SMALL_COMPRESSOR : undefined;
  const packed = deflateRawSync(bytes, { level: LEVEL, chunkSize: length, dictionary, ...compressor });
  if (HEAD_BYTES + packed.length >= length) return text;
  const stored = Buffer.allocUnsafe(HEAD_BYTES + packed.length);
  stored[0] = DEFLATED;
  stored.writeUIntLE(length, 1, 3);
  packed.copy(stored, HEAD_BYTES);
  return stored;
}

/**
 * The text that was packed; undefined if this is no packed text, or was packed with another record. Which of the two
 * cannot always be told, so what is given must have been compared with checksums before.
 *
 * @param record of the skill, as it was when the text was packed
 */
export function unpackText(stored: Buffer, record: string): string | undefined {
  if (stored.equals(DESCRIPTION)) return descriptionIn(record);
  if (stored.length <= HEAD_BYTES || stored[0] !== DEFLATED) return undefined;
  const length = stored.readUIntLE(1, 3);
  try {
    // One byte more than it takes, else the last call would find no room and make a second one.
    const bytes = inflateRawSync(stored.subarray(HEAD_BYTES), {
      dictionary: dictionaryOf(record),
      chunkSize: Math.max(64, length + 1),
      maxOutputLength: Math.max(1, length),
    });
    return bytes.length === length ? bytes.toString() : undefined;
  } catch {
    return undefined;
  }
}

/** A skill whose source has no text has its description as text. */
function isDescription(text: string, record: string): boolean {
  const description = textInRecord(record, 'description');
  return text.length <= description.length && JSON.stringify(text) === `"${description}"`;
}

function descriptionIn(record: string): string | undefined {
  try {
    return JSON.parse(`"${textInRecord(record, 'description')}"`) as string;
  } catch {
    return undefined;
  }
}

/** What is stored of a text: the text itself, or packed. */
export type StoredText = string | Buffer;

/** Whether a stored value can be a text at all. Damage can change the type of a value. */
export function isStoredText(value: unknown): value is StoredText {
  return typeof value === 'string' || Buffer.isBuffer(value);
}

/** The text that is stored; undefined if it cannot be unpacked. */
export function textOf(stored: StoredText, record: string): string | undefined {
  return typeof stored === 'string' ? stored : unpackText(stored, record);
}
