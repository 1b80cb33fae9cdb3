import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Reads the entries of a model's vocabulary.
 *
 * @param folder of the model, in the layout of Transformers.js
 * @returns an empty list if the form of the vocabulary in `tokenizer.json` is unknown
 * @throws if the file cannot be read
 */
export async function readVocabulary(folder: string): Promise<readonly string[]> {
  const { model } = JSON.parse(await readFile(join(folder, 'tokenizer.json'), 'utf8')) as {
    readonly model?: { readonly vocab?: unknown };
  };
  const vocabulary = model?.vocab;
  // Unigram models have a list of pairs of entry and score, others an object from entries to numbers.
  if (Array.isArray(vocabulary)) return vocabulary.map(([entry]: readonly [unknown]) => String(entry));
  return typeof vocabulary === 'object' && vocabulary !== null ? Object.keys(vocabulary) : [];
}
