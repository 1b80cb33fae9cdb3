import { fileURLToPath } from 'node:url';
import type { Tokenizer } from '../../core/index.js';
import { readWordPieces, SkillSearchError } from '../../core/index.js';

/** What the tokenizer makes of a word. */
export interface WordPieces {
  readonly pieces: number;
  /** Those of the pieces that stand for text which the vocabulary does not have, however long it is. */
  readonly unknown: number;
}

const FOLDER = fileURLToPath(new URL('../../../data/models/skill-minilm', import.meta.url));

let tokenizer: Tokenizer | undefined;

/**
 * The pieces of a word by the vocabulary of the bundled model (WordPiece). The first call reads the vocabulary, which
 * takes some 10 ms; the model itself is not needed.
 *
 * @throws {SkillSearchError} `MODEL_NOT_FOUND` if the files of the tokenizer cannot be read
 */
export function wordPieces(word: string): WordPieces {
  tokenizer ??= tokenizerOfModel();
  const pieces = tokenizer.tokenize(word);
  let unknown = 0;
  for (const piece of pieces) if (piece === '[UNK]') unknown++;
  return { pieces: pieces.length, unknown };
}

function tokenizerOfModel(): Tokenizer {
  try {
    return readWordPieces(FOLDER);
  } catch (cause) {
    const message = `the tokenizer of the bundled model cannot be read: ${FOLDER}`;
    throw new SkillSearchError('MODEL_NOT_FOUND', message, { path: FOLDER, cause });
  }
}
