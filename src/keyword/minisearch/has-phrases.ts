import { readWords, type Token } from '../../core/index.js';
import type { KeywordDocument } from '../keyword-index.js';
import type { Phrase } from '../question.js';
import type { StepPlan } from '../steps/plan-steps.js';

/** Whether a term of a text answers a term of a phrase. */
type Accepts = (asked: string, term: string) => boolean;

/** Whether a document has every phrase of a step, each within one text: no phrase continues in the next one. */
export function hasPhrases(document: KeywordDocument, { phrases, everywhere }: StepPlan, accepts: Accepts): boolean {
  const core = [document.name, document.author, ...document.labels, document.description];
  const isIn = (texts: readonly string[], phrase: Phrase): boolean =>
    texts.some((text) => hasPhrase(readWords(text), phrase, accepts, everywhere));
  return phrases.every(
    (phrase) =>
      isIn(core, phrase) ||
      (everywhere &&
        isIn(
          document.files.map((file) => file.text),
          phrase,
        )),
  );
}

/**
 * Whether the words of a phrase stand together in a text: whether both can be read, from some position on, as the same
 * sequence of terms. Either may read a compound as a whole or part by part.
 *
 * @param everywhere whether the parts of words in PascalCase count, in both
 */
function hasPhrase(tokens: readonly Token[], phrase: Phrase, accepts: Accepts, everywhere: boolean): boolean {
  const first = phrase.tokens.filter((token) => token.position === 0);
  const starts = tokens.filter((token) => first.some(({ term }) => accepts(term, token.term)));
  if (starts.length === 0) return false;

  const asked = byPosition(phrase.tokens, everywhere);
  const found = byPosition(tokens, everywhere);

  // Each compound can be read in two ways. Pairs of positions that failed are remembered, or the ways would multiply.
  const failed = new Set<number>();
  const reads = (askedAt: number, foundAt: number): boolean => {
    if (askedAt >= phrase.length) return true;
    const pair = foundAt * phrase.length + askedAt;
    if (failed.has(pair)) return false;
    for (const one of asked.get(askedAt) ?? []) {
      for (const other of found.get(foundAt) ?? []) {
        if (accepts(one.term, other.term) && reads(askedAt + one.span, foundAt + other.span)) return true;
      }
    }
    failed.add(pair);
    return false;
  };

  return starts.some(({ position }) => reads(0, position));
}

function byPosition(tokens: readonly Token[], everywhere: boolean): Map<number, Token[]> {
  const positions = new Map<number, Token[]>();
  for (const token of tokens) {
    if (token.kind === 'inner' && !everywhere) continue;
    const others = positions.get(token.position);
    if (others === undefined) positions.set(token.position, [token]);
    else others.push(token);
  }
  return positions;
}
