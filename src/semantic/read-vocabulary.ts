import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The entries of a model's vocabulary.
 *
 * @param folder of the model, in the layout of Transformers.js
 * @returns none where `tokenizer.json` has no vocabulary of a known form
 * @throws where the file cannot be read
 */
export async function readVocabulary(folder: string): Promise<readonly string[]> {
  const { model } = JSON.parse(await readFile(join(folder, 'tokenizer.json'), 'utf8')) as {
    readonly model?: { readonly vocab?: unknown };
  };
  const vocabulary = model?.vocab;
  // Of Unigram models it is a list of entries and their scores, of the others an object of entries and their numbers.
  if (Array.isArray(vocabulary)) return vocabulary.map(([entry]: readonly [unknown]) => String(entry));
  return typeof vocabulary === 'object' && vocabulary !== null ? Object.keys(vocabulary) : [];
}
