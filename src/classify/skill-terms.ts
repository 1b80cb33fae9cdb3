import { stemOf } from '../text/stem.js';
import { readWords } from '../text/words.js';

/** How many times as much a term of the name weighs as one of the description. */
const NAME_WEIGHT = 1.5;

/**
 * The terms by which a skill is classified: the stems of its name and description, each once.
 *
 * @returns the weight of each, before that of its rarity: {@link NAME_WEIGHT} or 1
 */
export function skillTerms(name: string, description: string): Map<string, number> {
  const terms = new Map<string, number>();
  addTerms(terms, name, NAME_WEIGHT);
  addTerms(terms, description, 1);
  return terms;
}

function addTerms(terms: Map<string, number>, text: string, weight: number): void {
  for (const { term, kind } of readWords(text)) {
    // A single character of a text without spaces says little.
    if (kind === 'character') continue;
    const stem = stemOf(term);
    if (!terms.has(stem)) terms.set(stem, weight);
  }
}
