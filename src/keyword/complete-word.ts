import { foldAccents, stemOf, typedWord } from '../core/index.js';
import type { CompletedWord, CountedText, KeywordIndex } from './keyword-index.js';
import { readQuestion } from './question.js';
import { type StopWords, stopWordsOf } from './stop-words.js';

/** The most frequent words that begin with the letters; the words before say which of them fit. */
const CANDIDATES = 32;

/**
 * Texts that complete the last word of a text, best first; each with the number of documents that have the word. None
 * if its last word is done.
 *
 * @param stopWords are no completions, and nothing that a completion has to fit; by default those of the text's
 *   language
 */
export function completeWord(index: KeywordIndex, text: string, stopWords?: StopWords): CountedText[] {
  const typed = typedWord(text);
  if (typed === undefined) return [];
  const { before, letters } = typed;
  const question = readQuestion(`${before}${letters}`, stopWords);
  const leftOut = stopWords ?? stopWordsOf(question.language);
  const words = question.words.filter(({ terms: [term] }) => term !== letters && !leftOut.has(foldAccents(term!)));
  const said = new Set(words.map(({ terms }) => stemOf(terms[0]!)));
  const found = index.wordsBeginning(letters, {
    limit: CANDIDATES,
    isLeftOut: (term) => term === letters || leftOut.has(foldAccents(term)) || said.has(stemOf(term)),
    words,
  });
  return firstOfStems(fittingFirst(found)).map((word) => ({ text: `${before}${word.text}`, count: word.count }));
}

/**
 * Puts words first that go with those before: by the cosine of the two sets of documents. A word that no document has
 * together with those before is of no use, unless that is so for all.
 */
function fittingFirst(found: readonly CompletedWord[]): readonly CompletedWord[] {
  const fitOf = ({ together = 0, count }: CompletedWord): number => together / Math.sqrt(count);
  const fitting = found.filter((word) => fitOf(word) > 0);
  // The sort is stable: of equal words the one that more documents have stays first.
  return fitting.length === 0 ? found : fitting.sort((a, b) => fitOf(b) - fitOf(a));
}

/** Forms of one word find the same documents, so one of them is enough. */
function firstOfStems(words: readonly CompletedWord[]): CompletedWord[] {
  const seen = new Set<string>();
  return words.filter(({ text }) => {
    const stem = stemOf(text);
    return !seen.has(stem) && seen.add(stem);
  });
}
