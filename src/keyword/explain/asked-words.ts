import { isUnspacedTerm, stemOf } from '../../core/index.js';
import { isSingleCharacter, type Question } from '../question.js';

/** Tells which word of a question a term of a text answers, without an index. */
export interface AskedWords {
  /** Index of the first word of `question.looseWords` that the term answers, as it stands or by its stem; else -1. */
  wordOf(term: string): number;
}

export function askedWords(question: Question): AskedWords {
  const byForm = new Map<string, number>();
  const byCharacter = new Map<string, number>();
  for (const [word, { terms }] of question.looseWords.entries()) {
    for (const term of terms) {
      const words = isSingleCharacter(term) ? byCharacter : byForm;
      const form = stemOf(term);
      if (!words.has(form)) words.set(form, word);
    }
  }
  const look = (term: string): number => {
    const form = stemOf(term);
    const word = byForm.get(form);
    if (word !== undefined || !isUnspacedTerm(term)) return word ?? -1;
    return byCharacter.get(String.fromCodePoint(form.codePointAt(0)!)) ?? -1;
  };
  // Texts repeat their words, and stemming takes a while.
  const known = new Map<string, number>();
  return {
    wordOf(term) {
      let word = known.get(term);
      if (word === undefined) {
        word = look(term);
        known.set(term, word);
      }
      return word;
    },
  };
}
