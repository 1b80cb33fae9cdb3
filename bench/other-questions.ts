import { stemOf } from '../src/core/index.js';

const WORD = /[A-Za-z]{4,}/g;
const LONGEST = 4;

/**
 * Questions of one to four words of descriptions, all different, that share no word with those that are asked after
 * them: a process that has answered these remembers nothing of what it is asked next.
 *
 * @returns fewer than wanted where the descriptions have no more
 */
export function otherQuestions(
  descriptions: readonly string[],
  asked: readonly string[],
  count: number,
): readonly string[] {
  const taken = new Set(asked.flatMap((q) => (q.match(/\p{L}+/gu) ?? []).map(keyOf)));
  const free = descriptions.map((text) => (text.match(WORD) ?? []).filter((word) => !taken.has(keyOf(word))));
  const most = Math.max(0, ...free.map(({ length }) => length));
  const others = new Set<string>();
  for (let start = 0; start < most; start += LONGEST) {
    for (const [i, words] of free.entries()) {
      if (others.size === count) return [...others];
      const question = words.slice(start, start + 1 + (i % LONGEST)).join(' ');
      if (question !== '') others.add(question);
    }
  }
  return [...others];
}

/** Forms of a word count as one. */
function keyOf(word: string): string {
  return stemOf(word.toLowerCase());
}
