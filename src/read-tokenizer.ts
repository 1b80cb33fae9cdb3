import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';

/** Turns texts into the numbers of a vocabulary's entries. */
export type { Tokenizer };

/** A tokenizer, and what the files of its folder say. */
export interface ReadTokenizer {
  readonly tokenizer: Tokenizer;
  /** Tokens of a text that are read, by `tokenizer_config.json`; infinite if it does not say. */
  readonly most: number;
  /** Entries of the vocabulary. */
  readonly vocabulary: readonly string[];
}

/**
 * Reads the tokenizer of a model. For that of the bundled model it takes some 50 ms.
 *
 * @param folder of the model, in the layout of Transformers.js
 * @throws {Error} if a file cannot be read, or the tokenizer is of a kind that is not known
 */
export function readTokenizer(folder: string): ReadTokenizer {
  const [content, config] = ['tokenizer.json', 'tokenizer_config.json'].map(
    (name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Readonly<Record<string, unknown>>,
  );
  const tokenizer = new Tokenizer(content!, config!);
  const most = config!['model_max_length'];
  return {
    tokenizer,
    most: typeof most === 'number' ? most : Number.POSITIVE_INFINITY,
    vocabulary: tokenizer.model?.vocab ?? [],
  };
}
