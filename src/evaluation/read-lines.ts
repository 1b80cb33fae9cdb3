import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { isObject } from '../core/index.js';
import { SkillSearchError } from '../index.js';

/** A line of a file. */
export interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

/**
 * The lines of a text file, without blank ones. A gzip file is unpacked; its first bytes show that it is one.
 *
 * @throws {SkillSearchError} `SOURCE_NOT_FOUND`, `INVALID_SOURCE` if it cannot be read
 */
export async function* readLines(path: string): AsyncGenerator<Line> {
  try {
    yield* linesOf(decode(path));
  } catch (cause) {
    if (cause instanceof SkillSearchError) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    const facts = { path, cause };
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new SkillSearchError('SOURCE_NOT_FOUND', `there is no file ${path}`, facts);
    }
    throw new SkillSearchError('INVALID_SOURCE', `${path} cannot be read: ${message}`, facts);
  }
}

/** The JSON objects of a file, one a line, each with its line number. */
export async function* readObjects(path: string): AsyncGenerator<readonly [Readonly<Record<string, unknown>>, number]> {
  for await (const { number, text } of readLines(path)) {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (cause) {
      throw faultIn(path, number, `expected a JSON object, got ${(cause as Error).message}`);
    }
    if (!isObject(value)) throw faultIn(path, number, 'expected a JSON object, got another value');
    yield [value, number];
  }
}

/** An id as text. Some files have numbers. */
export function readId(value: unknown): string | undefined {
  const id = typeof value === 'number' && Number.isFinite(value) ? String(value) : value;
  return typeof id === 'string' && id.trim() !== '' ? id : undefined;
}

/** The error for a faulty line of a file. */
export function faultIn(path: string, line: number, message: string): SkillSearchError {
  return new SkillSearchError('INVALID_SOURCE', `${path}:${line}: ${message}`, { path });
}

async function* decode(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  if (!(await isGzip(path))) {
    for await (const chunk of createReadStream(path)) yield decoder.decode(chunk as Buffer, { stream: true });
    yield decoder.decode();
    return;
  }
  const unpacked = createGunzip();
  const reading = pipeline(createReadStream(path), unpacked);
  // A failure also ends the loop below, which reports it.
  reading.catch(() => {});
  for await (const chunk of unpacked) yield decoder.decode(chunk as Buffer, { stream: true });
  yield decoder.decode();
  await reading;
}

async function isGzip(path: string): Promise<boolean> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
  return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
}

async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<Line> {
  let number = 0;
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    for (const text of lines) {
      number += 1;
      if (text.trim() !== '') yield { number, text };
    }
  }
  if (rest.trim() !== '') yield { number: number + 1, text: rest };
}
