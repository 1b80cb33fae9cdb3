import { readWords, stemOf } from '../../src/core/index.js';

/** The terms of a text as our own index has them, by their stems. */
export interface Terms {
  readonly terms: readonly string[];
  /** Parts of words in PascalCase, which count from the second step on only. */
  readonly inner: readonly string[];
}

export function termsOf(text: string): Terms {
  const [terms, inner]: [string[], string[]] = [[], []];
  for (const { term, kind } of readWords(text)) (kind === 'inner' ? inner : terms).push(keptStem(term));
  return { terms, inner };
}

/** Stems are asked for over and over. */
const stems = new Map<string, string>();
const STEMS_KEPT = 200_000;

function keptStem(term: string): string {
  let stem = stems.get(term);
  if (stem === undefined) {
    stem = stemOf(term);
    if (stems.size < STEMS_KEPT) stems.set(term, stem);
  }
  return stem;
}
