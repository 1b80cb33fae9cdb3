import { foldAccents } from '../../text/characters.js';
import type { StepPlan } from '../steps/plan-steps.js';
import type { AnsweringTerms } from './answer-reader.js';
import type { TermDictionary } from './term-dictionary.js';

/** Returns a function that tells whether a term of a text answers a step. The function does not refer to the index. */
export function acceptedTerms(
  plan: StepPlan,
  answers: AnsweringTerms,
  dictionary: TermDictionary,
): (term: string) => boolean {
  const terms = new Set<string>();
  // Thousands of terms may have one beginning, so only the beginning is kept.
  const beginnings: string[] = [];
  for (const [asked, answering] of answers) {
    const { kind } = plan.lookup(asked);
    if (kind === 'prefix' || kind === 'character') beginnings.push(foldAccents(asked));
    else for (const term of answering) terms.add(dictionary.termAt(term));
  }
  if (beginnings.length === 0) return (term) => terms.has(term);
  return (term) => {
    if (terms.has(term)) return true;
    const form = foldAccents(term);
    return beginnings.some((beginning) => form.startsWith(beginning));
  };
}
