import { readFile } from 'node:fs/promises';
import { Option } from 'commander';

export interface StopWordsFlags {
  readonly stopWords?: string;
}

export function stopWordsOption(): Option {
  return new Option(
    '--stop-words <file>',
    'words that count only where a question has no others: one a line, instead of the usual ones',
  );
}

/**
 * The words of the file, one a line. Lines that start with `#` are comments.
 *
 * @returns undefined if no file was given
 */
export async function stopWordsOf({ stopWords: path }: StopWordsFlags): Promise<string[] | undefined> {
  if (path === undefined) return undefined;
  const text = await readFile(path, 'utf8').catch(async (cause: NodeJS.ErrnoException) => {
    // Some commands answer before the library is imported.
    const { SkillSearchError } = await import('../index.js');
    const why = cause.code === 'ENOENT' ? `there is no file ${path}` : `${path} cannot be read (${cause.message})`;
    throw new SkillSearchError(cause.code === 'ENOENT' ? 'SOURCE_NOT_FOUND' : 'INVALID_SOURCE', why, { path });
  });
  const lines = text.replace(/^\ufeff/, '').split('\n');
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
}
