import type { Token } from '../text/words.js';

/** Characters of a word on average, where neither blanks nor the script show where words end. */
const CHARACTERS_A_WORD = 2;

/** Of a pair that stands across a change of script, so mostly of two words: `をテ` of `データをテスト`. */
const ACROSS_SCRIPTS = 0.25;

/**
 * What the pairs of characters in a question count, beside 1 of a word with blanks around it. A word of seven characters
 * makes six pairs; each counting as a word, it would outweigh all the others. So the pairs of a stretch of one script share
 * what its words would count: one word for Hangul and Katakana, of which words are stretches; for others one for every two
 * characters.
 *
 * @param tokens of a text, in order
 * @returns by pair and single character; other tokens are left out
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
  // A question that was cut ends inside a run.
  weighRun(run, weights);
  return weights;
}

/** @param run its pairs and its last character: each character begins one of them */
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

/** `word` for scripts of which a stretch is one word. */
function scriptOf(term: string): 'word' | 'hiragana' | 'other' {
  if (/^[\p{Script=Hangul}\p{Script=Katakana}\u30fc]/u.test(term)) return 'word';
  return /^\p{Script=Hiragana}/u.test(term) ? 'hiragana' : 'other';
}
