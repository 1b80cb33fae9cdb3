import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** What `search.keyword()` and `search.semantic()` read of a question at most, in characters. */
const LONGEST_BY_WORD = 200;
const LONGEST_BY_MEANING = 2000;

/**
 * Questions of files in the layout of BEIR: JSON Lines with a field `text`, or the same in gzip. Each file gives as
 * many as the others, or all it has, spread over it.
 *
 * @param limit how many at most, of all files together
 */
export function readQuestionFiles(paths: readonly string[], limit: number): string[] {
  const files = paths.map(readQuestionFile).sort((a, b) => a.length - b.length);
  const taken: string[] = [];
  for (const [i, questions] of files.entries()) {
    const wanted = Math.floor((limit - taken.length) / (files.length - i));
    const step = Math.max(1, questions.length / wanted);
    for (let at = 0; at < Math.min(wanted, questions.length); at++) {
      taken.push(questions[Math.floor(at * step)] as string);
    }
  }
  return taken;
}

/** Cut to what a keyword search reads; none without a letter or digit. */
export function asKeywordQuestions(questions: readonly string[]): string[] {
  return questions
    .map((text) => [...text.trim()].slice(0, LONGEST_BY_WORD).join(''))
    .filter((q) => /[\p{L}\p{N}]/u.test(q));
}

export function asSemanticQuestions(questions: readonly string[]): string[] {
  return questions
    .map((text) => [...text.trim()].slice(0, LONGEST_BY_MEANING).join(''))
    .filter((q) => /[\p{L}\p{N}]/u.test(q));
}

function readQuestionFile(path: string): string[] {
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => (JSON.parse(line) as { text: string }).text);
}
