import { normaliseText, plainTerm, visitWords } from '../../core/index.js';
import type { KeywordDocument } from '../keyword-index.js';
import type { AskedWords } from './asked-words.js';
import { MAX_READ } from './snippet.js';

/** The words of a question in the files of a skill. */
export interface FileMatches {
  /**
   * Name of the file whose text matches the words best. If none has any of them, it is `SKILL.md`, or the first file if
   * there is no `SKILL.md`.
   */
  readonly filename: string;
  /** The terms in all files that answer the words, each once, in the order of the text. */
  readonly terms: readonly string[];
}

const MAIN_FILE = 'SKILL.md';

/**
 * The most characters read of all files of a skill together, so that a skill with very much text does not delay the
 * others.
 */
const MAX_READ_TOGETHER = 4 * MAX_READ;

/** Controls how soon further repetitions of a word stop counting, like k1 of BM25. */
const SATURATION = 1.2;

/** Reads every file once; only the beginning of a very long file. */
export function matchFiles(files: KeywordDocument['files'], asked: AskedWords): FileMatches {
  const main = files.find(({ filename }) => filename === MAIN_FILE) ?? files[0];
  const terms = new Set<string>();
  let left = MAX_READ_TOGETHER;
  let best = main?.filename ?? MAIN_FILE;
  let most = 0;
  for (const file of files) {
    const text = file.text.slice(0, Math.min(MAX_READ, left));
    left -= text.length;
    const score = scoreText(text, asked, terms);
    if (score > most || (score === most && score > 0 && file === main)) [best, most] = [file.filename, score];
  }
  return { filename: best, terms: [...terms] };
}

/** Each word counts 1, and a little more if it is repeated. */
function scoreText(text: string, asked: AskedWords, terms: Set<string>): number {
  const counts = new Map<number, number>();
  const read = normaliseText(text);
  visitWords(read, (other, _kind, _position, _span, start, end) => {
    const term = other ?? plainTerm(read, start, end);
    const word = asked.wordOf(term);
    if (word < 0) return;
    counts.set(word, (counts.get(word) ?? 0) + 1);
    terms.add(term);
  });
  let score = 0;
  for (const count of counts.values()) score += 1 + count / (count + SATURATION);
  return score;
}
