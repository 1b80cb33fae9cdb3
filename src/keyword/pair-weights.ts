import type { Token } from '../core/index.js';

/** Average length of a word in characters, where neither spaces nor the script show where words end. */
const CHARACTERS_A_WORD = 2;

/** Weight of a pair across a change of script, which mostly belongs to two words: `をテ` of `データをテスト`. */
const ACROSS_SCRIPTS = 0.25;

/**
 * The weights of the pairs of characters in a question. A word with spaces around it has weight 1. A word of seven
 * characters makes six pairs; with weight 1 each they would outweigh all other words. So the pairs of a stretch of one
 * script share the weight of its words: one word for Hangul and Katakana, whose words are stretches; for other scripts
 * one word for every two characters.
 *
 * @param tokens of a text, in order
 * @returns the weight of each pair and single character; other tokens are left out
 */
export function weighPairs(tokens: readonly Token[]): ReadonlyMap<Token, number> {
  const weights = new Map<Token, number>();
  let run: Token[] = [];
  for (const token of tokens) {
    if (token.kind !== 'pair' && token.kind !== 'character') continue;
    run.push(token);
    if (token.kind !== 'character') continue;
    weighRun(run, weights);
    run = [];
  }
  // A question that was cut may end inside a run.
  weighRun(run, weights);
  return weights;
}

/** @param run the pairs and the last character of a run: each character begins one of these tokens */
function weighRun(run: readonly Token[], weights: Map<Token, number>): void {
  const scripts = run.map(({ term }) => scriptOf(term));
  for (let start = 0; start < run.length; ) {
    let end = start + 1;
    while (end < run.length && scripts[end] === scripts[start]) end += 1;
    const length = end - start;
    const words = scripts[start] === 'word' ? 1 : length / CHARACTERS_A_WORD;
    for (let i = start; i < end - 1; i++) weights.set(run[i]!, words / (length - 1));
    const last = run[end - 1]!;
    weights.set(last, last.kind === 'character' ? 1 : ACROSS_SCRIPTS);
    start = end;
  }
}

/** `word` for scripts whose stretches are words. */
function scriptOf(term: string): 'word' | 'hiragana' | 'other' {
  if (/^[\p{Script=Hangul}\p{Script=Katakana}\u30fc]/u.test(term)) return 'word';
  return /^\p{Script=Hiragana}/u.test(term) ? 'hiragana' : 'other';
}
