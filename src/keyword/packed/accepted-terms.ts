import { foldAccents } from '../../core/index.js';
import type { StepPlan } from '../steps/plan-steps.js';
import type { AnsweringTerms } from './answer-reader.js';
import type { TermSource } from './term-source.js';

/** Returns a function that tells whether a term of a text answers a step. The function does not refer to the index. */
export function acceptedTerms(plan: StepPlan, answers: AnsweringTerms, terms: TermSource): (term: string) => boolean {
  const accepted = new Set<string>();
  // Thousands of terms may have one beginning, so only the beginning is kept.
  const beginnings: string[] = [];
  // A question has at most one beginning of words, but it may have dozens of these.
  const characters = new Set<string>();
  for (const [asked, answering] of answers) {
    const { kind } = plan.lookup(asked);
    if (kind === 'prefix' || kind === 'character') {
      const form = foldAccents(asked);
      if (isOneCharacter(form)) characters.add(form);
      else beginnings.push(form);
    } else for (const term of answering) accepted.add(terms.termAt(term));
  }
  if (beginnings.length === 0 && characters.size === 0) return (term) => accepted.has(term);
  return (term) => {
    if (accepted.has(term)) return true;
    const form = foldAccents(term);
    if (characters.has(String.fromCodePoint(form.codePointAt(0) ?? 0))) return true;
    return beginnings.some((beginning) => form.startsWith(beginning));
  };
}

function isOneCharacter(form: string): boolean {
  return form !== '' && form.length === (form.codePointAt(0)! > 0xffff ? 2 : 1);
}
