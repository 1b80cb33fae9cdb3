import { isUnspacedTerm } from '../../text/characters.js';
import { stemOf } from '../../text/stem.js';
import { isSingleCharacter, type Question } from '../question.js';

/** Tells which word of a question a term of a text answers, without an index. */
export interface AskedWords {
  /** Place of the first word of `question.looseWords` that the term answers, as it stands or by its stem; else -1. */
  wordOf(term: string): number;
}

export function askedWords(question: Question): AskedWords {
  const byForm = new Map<string, number>();
  const byCharacter = new Map<string, number>();
  for (const [place, { terms }] of question.looseWords.entries()) {
    for (const term of terms) {
      const places = isSingleCharacter(term) ? byCharacter : byForm;
      const form = stemOf(term);
      if (!places.has(form)) places.set(form, place);
    }
  }
  const look = (term: string): number => {
    const form = stemOf(term);
    const place = byForm.get(form);
    if (place !== undefined || !isUnspacedTerm(term)) return place ?? -1;
    return byCharacter.get(String.fromCodePoint(form.codePointAt(0) as number)) ?? -1;
  };
  // Texts have the same words again and again, and a stem takes a while.
  const known = new Map<string, number>();
  return {
    wordOf(term) {
      let place = known.get(term);
      if (place === undefined) {
        place = look(term);
        known.set(term, place);
      }
      return place;
    },
  };
}
