import { readWords, stemOf } from '../../core/index.js';

/** How many times as much a term of the name weighs as one of the description. */
const NAME_WEIGHT = 1.5;

/**
 * The terms by which a skill is classified: the stems of its name and description, each once.
 *
 * @param stem as `stemOf`; somebody who reads many skills may remember stems
 * @returns the weight of each, before that of its rarity: {@link NAME_WEIGHT} or 1
 */
export function skillTerms(
  name: string,
  description: string,
  stem: (term: string) => string = stemOf,
): Map<string, number> {
  const terms = new Map<string, number>();
  addTerms(terms, name, NAME_WEIGHT, stem);
  addTerms(terms, description, 1, stem);
  return terms;
}

function addTerms(terms: Map<string, number>, text: string, weight: number, stem: (term: string) => string): void {
  for (const { term, kind } of readWords(text)) {
    // A single character of a text without spaces says little.
    if (kind === 'character') continue;
    const form = stem(term);
    if (!terms.has(form)) terms.set(form, weight);
  }
}
