import { copyFileSync, createReadStream, createWriteStream, existsSync, mkdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { firstAnswer, loadProgram } from './programs.js';
import { median } from './statistics.js';

/** Skills that change. */
const CHANGED = 100;
/** A word that no catalogue has. */
const MARK = 'zzchangedskillzz';

export interface ChangedLoads {
  /** Seconds from the start of the load to the first answer of a new process that sees the change. */
  readonly wholeFile: number;
  readonly changesOnly: number;
}

/**
 * Loads a change of 100 skills into copies of a catalogue: the whole file again, and a file of these skills only.
 *
 * @param source what the catalogue was loaded from, JSON Lines, in the same folder
 * @param size how many skills it has
 */
export async function measureChangedLoads(
  database: string,
  source: string,
  size: number,
  rounds: number,
): Promise<ChangedLoads> {
  const all: ChangedLoads[] = [];
  for (let i = 0; i < rounds; i++) all.push(await measureOnce(database, source, size));
  return {
    wholeFile: median(all.map(({ wholeFile }) => wholeFile)),
    changesOnly: median(all.map(({ changesOnly }) => changesOnly)),
  };
}

async function measureOnce(database: string, source: string, size: number): Promise<ChangedLoads> {
  const whole = copyCatalogue(database, 'whole');
  const wholeSource = join(dirname(whole), basename(source));
  await writeChanged(source, wholeSource, size, false);
  const wholeFile = await secondsUntilSeen(whole, wholeSource, Math.min(size, CHANGED));
  rmSync(dirname(whole), { recursive: true });

  const some = copyCatalogue(database, 'some');
  const someSource = join(dirname(some), `changes-${basename(source)}`);
  await writeChanged(source, someSource, size, true);
  const changesOnly = await secondsUntilSeen(some, someSource, Math.min(size, CHANGED));
  rmSync(dirname(some), { recursive: true });
  return { wholeFile, changesOnly };
}

/**
 * With what is derived from it, in a folder of its own: a source beside it has the same place as beside the original.
 */
function copyCatalogue(database: string, folder: string): string {
  const copy = join(dirname(database), folder, basename(database));
  mkdirSync(dirname(copy));
  for (const suffix of ['', '.keyword']) {
    if (existsSync(database + suffix)) copyFileSync(database + suffix, copy + suffix);
  }
  return copy;
}

/** @param only whether rows that stay as they are, are left out */
async function writeChanged(from: string, to: string, size: number, only: boolean): Promise<void> {
  const every = Math.max(1, Math.floor(size / CHANGED));
  const zipped = from.endsWith('.gz');
  async function* lines(): AsyncGenerator<string> {
    const input = zipped ? createReadStream(from).pipe(createGunzip()) : createReadStream(from);
    let row = 0;
    for await (const line of createInterface({ input })) {
      const changes = row % every === 0 && row / every < CHANGED;
      row += 1;
      if (changes) yield `${changed(line)}\n`;
      else if (!only) yield `${line}\n`;
    }
  }
  const output = createWriteStream(to);
  if (zipped) await pipeline(Readable.from(lines()), createGzip({ level: 1 }), output);
  else await pipeline(Readable.from(lines()), output);
}

function changed(line: string): string {
  const row = JSON.parse(line) as { description: string };
  return JSON.stringify({ ...row, description: `${row.description} ${MARK}` });
}

async function secondsUntilSeen(database: string, source: string, expected: number): Promise<number> {
  const started = performance.now();
  loadProgram(database, source);
  const loaded = (performance.now() - started) / 1000;
  const { total, ms } = await firstAnswer(database, MARK);
  if (total !== expected) throw new Error(`${expected} skills were changed, and a new process sees ${total}`);
  return loaded + ms / 1000;
}
