import { isPartKind } from '../../core/index.js';
import type { KeywordStep } from '../../result.js';
import type { Phrase, Question, QuestionWord } from '../question.js';
import { asItStands, type Lookup } from './lookup.js';
import { prefixLookup } from './prefix-step.js';
import { typoLookup } from './typo-step.js';

/** What one step asks of an index. */
export interface StepPlan {
  readonly step: KeywordStep;
  readonly words: readonly QuestionWord[];
  /** The words of each must stand together; `lookup` says which terms answer them. */
  readonly phrases: readonly Phrase[];
  readonly lookup: (term: string) => Lookup;
  /** Whether file text and the parts of words in PascalCase count. */
  readonly everywhere: boolean;
  /** `all`: every word is required. `half`: at least half of the weight of the words. */
  readonly required: 'all' | 'half';
}

/**
 * The steps of keyword search, in order. The caller stops at the first step that finds anything; later ones are then
 * never planned.
 *
 * @param occurs whether any term of the catalogue answers a lookup
 */
export function* planSteps(question: Question, occurs: (lookup: Lookup) => boolean): Generator<StepPlan> {
  const { looseWords, phrases } = question;
  const every = { phrases, lookup: asItStands, required: 'all' } as const;
  yield { step: 'all-words', words: question.words, everywhere: false, ...every };
  yield { step: 'file-text', words: looseWords, everywhere: true, ...every };

  const byPrefix = prefixLookup(question);
  if (byPrefix !== undefined) {
    yield { step: 'prefix', words: looseWords, everywhere: true, ...every, lookup: byPrefix };
  }

  const wordOccurs = (word: QuestionWord): boolean => word.terms.some((term) => occurs(asItStands(term)));
  const occurring = looseWords.filter(wordOccurs);
  const byEdits = typoLookup(looseWords.filter((word) => !occurring.includes(word)));
  if (byEdits !== undefined) {
    yield { step: 'typo', words: looseWords, everywhere: true, ...every, lookup: byEdits };
  }

  if (occurring.length > 0 && !mustStandTogether(question)) {
    yield { step: 'some-words', words: occurring, everywhere: true, ...every, required: 'half' };
  }
}

/**
 * Whether every word is part of a phrase. The last step then finds nothing new: phrases are required in every step, so
 * an earlier step has found what has them all. Compounds are an exception, since a phrase matches through the whole or
 * through the parts.
 */
function mustStandTogether({ looseWords, phrases }: Question): boolean {
  const tokens = phrases.flatMap((phrase) => phrase.tokens);
  const quoted = new Set(tokens.map(({ term }) => term));
  return tokens.every(({ kind }) => isPartKind(kind)) && looseWords.every(({ terms }) => quoted.has(terms[0]!));
}
