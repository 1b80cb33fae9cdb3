import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
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
 * @throws {SkillSearchError} `INVALID_OPTION` also if the file cannot be written; and as {@link minePairs}
 */
export async function writePairs(path: string, options: PairOptions): Promise<PairReport> {
  checkPath('out', path, 'a file');
  const unfinished = `${path}.part`;
  let report: PairReport | undefined;
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
    } finally {
      // Also closes the catalogue where writing failed.
      await pairs.return(undefined as never);
    }
  }
  try {
    await pipeline(Readable.from(lines()), createWriteStream(unfinished));
    await rename(unfinished, path);
  } catch (cause) {
    await rm(unfinished, { force: true });
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR' || code === 'ENOTDIR') {
      throw new SkillSearchError('INVALID_OPTION', `${path} cannot be written: ${message}`, { path, cause });
    }
    throw cause;
  }
  return report!;
}
