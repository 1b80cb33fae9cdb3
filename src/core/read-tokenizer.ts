import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Tokenizer, WordPieceTokenizer } from './word-piece-tokenizer.js';

/** A tokenizer, and what the files of its folder say. */
export interface ReadTokenizer {
  readonly tokenizer: Tokenizer;
  /** Tokens of a text that are read, by `tokenizer_config.json`; infinite if it does not say. */
  readonly most: number;
  /** Entries of the vocabulary. */
  vocabulary(): readonly string[];
}

/**
 * Reads the tokenizer of a model. For that of the bundled model it takes some 10 ms; for other kinds of tokenizers a
 * package is loaded.
 *
 * @param folder of the model, in the layout of Transformers.js
 * @throws {Error} if a file cannot be read, or the tokenizer is of a kind that is not known
 */
export async function readTokenizer(folder: string): Promise<ReadTokenizer> {
  const { content, config } = readFiles(folder);
  const limit = config['model_max_length'];
  const most = typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY;
  const pieces = WordPieceTokenizer.of(content, config);
  if (pieces !== undefined) return { tokenizer: pieces, most, vocabulary: () => pieces.vocabulary };
  const { Tokenizer: AnyTokenizer } = await import('@huggingface/tokenizers');
  const tokenizer = new AnyTokenizer(content, config);
  return { tokenizer, most, vocabulary: () => tokenizer.model?.vocab ?? [] };
}

/**
 * Reads the tokenizer of a model that splits words into pieces, without a package.
 *
 * @throws {Error} if a file cannot be read, or the tokenizer is of another kind
 */
export function readWordPieces(folder: string): WordPieceTokenizer {
  const { content, config } = readFiles(folder);
  const pieces = WordPieceTokenizer.of(content, config);
  if (pieces === undefined) throw new Error('the tokenizer is of another kind');
  return pieces;
}

interface TokenizerFiles {
  readonly content: Readonly<Record<string, unknown>>;
  readonly config: Readonly<Record<string, unknown>>;
}

function readFiles(folder: string): TokenizerFiles {
  const [content, config] = ['tokenizer.json', 'tokenizer_config.json'].map(
    (name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Readonly<Record<string, unknown>>,
  );
  return { content: content!, config: config! };
}
