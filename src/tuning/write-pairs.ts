import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { checkPath } from '../check-arguments.js';
import { SkillSearchError } from '../errors.js';
import { minePairs } from './mine-pairs.js';
import type { PairOptions } from './pair-options.js';
import type { PairReport } from './pair-report.js';

/**
 * Writes the pairs of {@link minePairs} as JSON Lines. The file appears when it is complete; a former one is replaced.
 *
 * @param path where to write
 * @throws {SkillSearchError} `FILE_NOT_WRITABLE`, which is tried before the catalogue is read; and as {@link minePairs}
 */
export async function writePairs(path: string, options: PairOptions): Promise<PairReport> {
  checkPath('out', path, 'a file');
  const unfinished = `${path}.part`;
  const file = await openForWriting(path, unfinished);
  let report: PairReport | undefined;
  let faultOfReading: unknown;
  async function* lines(): AsyncGenerator<string> {
    const pairs = minePairs(options);
    try {
      for (;;) {
        const { done, value } = await pairs.next();
        if (done === true) {
          report = value;
          return;
        }
        yield `${JSON.stringify(value)}\n`;
      }
    } catch (error) {
      faultOfReading = error;
      throw error;
    } finally {
      // Also closes the catalogue where writing failed.
      await pairs.return(undefined as never);
    }
  }
  try {
    await pipeline(Readable.from(lines()), file.createWriteStream());
    await rename(unfinished, path);
  } catch (cause) {
    await rm(unfinished, { force: true });
    throw cause === faultOfReading ? cause : unwritable(path, cause);
  }
  return report!;
}

/** @throws {SkillSearchError} `FILE_NOT_WRITABLE` */
async function openForWriting(path: string, unfinished: string): Promise<FileHandle> {
  // Renaming would tell only at the end.
  const isFolder = await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (isFolder) throw new SkillSearchError('FILE_NOT_WRITABLE', `${path} cannot be written: it is a folder`, { path });
  try {
    return await open(unfinished, 'w');
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

function unwritable(path: string, cause: unknown): unknown {
  if (!(cause instanceof Error)) return cause;
  return new SkillSearchError('FILE_NOT_WRITABLE', `${path} cannot be written: ${cause.message}`, { path, cause });
}
