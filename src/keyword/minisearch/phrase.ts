import type { Token } from '../../text/words.js';
import type { Phrase } from '../question.js';

/**
 * Whether the words of a phrase stand together in a text: whether both can be read, from some place on, as the same
 * sequence of terms, where a compound may be read as a whole or part by part in either.
 *
 * @param accepts whether a term of the text answers a term of the phrase
 * @param everywhere whether the parts of words in PascalCase count, in both
 */
export function hasPhrase(
  tokens: readonly Token[],
  phrase: Phrase,
  accepts: (asked: string, found: string) => boolean,
  everywhere: boolean,
): boolean {
  const first = phrase.tokens.filter((token) => token.position === 0);
  const starts = tokens.filter((token) => first.some(({ term }) => accepts(term, token.term)));
  if (starts.length === 0) return false;

  const asked = byPosition(phrase.tokens, everywhere);
  const found = byPosition(tokens, everywhere);

  // Compounds can be read in two ways each; what failed once is not tried again, or the ways would multiply.
  const failed = new Set<number>();
  const reads = (askedAt: number, foundAt: number): boolean => {
    if (askedAt >= phrase.length) return true;
    const place = foundAt * phrase.length + askedAt;
    if (failed.has(place)) return false;
    for (const one of asked.get(askedAt) ?? []) {
      for (const other of found.get(foundAt) ?? []) {
        if (accepts(one.term, other.term) && reads(askedAt + one.span, foundAt + other.span)) return true;
      }
    }
    failed.add(place);
    return false;
  };

  return starts.some(({ position }) => reads(0, position));
}

function byPosition(tokens: readonly Token[], everywhere: boolean): Map<number, Token[]> {
  const places = new Map<number, Token[]>();
  for (const token of tokens) {
    if (token.kind === 'inner' && !everywhere) continue;
    const place = places.get(token.position);
    if (place === undefined) places.set(token.position, [token]);
    else place.push(token);
  }
  return places;
}
