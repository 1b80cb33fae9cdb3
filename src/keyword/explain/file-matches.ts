import { normaliseText } from '../../text/characters.js';
import { plainTerm, visitWords } from '../../text/words.js';
import type { KeywordDocument } from '../keyword-index.js';
import type { AskedWords } from './asked-words.js';
import { MAX_READ } from './snippet.js';

/** What the files of a skill have of the words asked for. */
export interface FileMatches {
  /**
   * Name of the file whose own text has the words best. Where none has any it is `SKILL.md`, or the first file of a
   * skill that has none of this name.
   */
  readonly filename: string;
  /** The terms in all files that answer, each once, in the order of the text. */
  readonly terms: readonly string[];
}

const MAIN_FILE = 'SKILL.md';

/** Characters of a skill's files that are looked at, together, so that one with very much text does not hold others up. */
const MAX_READ_TOGETHER = 4 * MAX_READ;

/** How soon more of the same word stops counting; k1 of BM25. */
const SATURATION = 1.2;

/** Goes through the files once. Of a very long one only the beginning is looked at. */
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

/** Each word counts once, and a little more where it stands there several times. */
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
