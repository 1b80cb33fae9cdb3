import type { Skill } from '../../index.js';
import { oneLine } from './quoted.js';

/** A hit as it is shown. */
export interface FittedHit {
  /** Its line in the text. */
  readonly line: string;
  /** Its description, as far as it fits; empty if only the name does. */
  readonly description: string;
}

/**
 * UTF-8 bytes for each token that may be used. English has some four, addresses and code three, Chinese and Japanese
 * two and more.
 */
const BYTES_PER_TOKEN = 2;

/** The end of a sentence, in any script. */
const SENTENCE_END = /[.!?](?=\s)|[。！？]/gu;

/**
 * Writes hits into at most so many tokens. Each hit gets its name before any gets its first sentence, and each its
 * first sentence before any gets a second. The hits that do not fit are the last ones.
 */
export function fitHits(
  hits: readonly { readonly skill: Skill; readonly uri: string }[],
  maxTokens: number | undefined,
): FittedHit[] {
  let left = (maxTokens ?? Number.POSITIVE_INFINITY) * BYTES_PER_TOKEN;
  const take = (text: string): boolean => {
    const bytes = Buffer.byteLength(text, 'utf8') + 1;
    if (bytes > left) return false;
    left -= bytes;
    return true;
  };
  const heads: string[] = [];
  for (const { skill, uri } of hits) {
    const head = `- ${oneLine(skill.name)} (${uri})`;
    if (!take(head)) break;
    heads.push(head);
  }
  const texts = hits.slice(0, heads.length).map(({ skill }) => oneLine(skill.description));
  const shown = texts.map(() => '');
  for (const cut of [firstSentence, (text: string) => text]) {
    for (const [i, text] of texts.entries()) {
      const wish = cut(text);
      if (take(wish.slice(shown[i]!.length))) shown[i] = wish;
      else break;
    }
  }
  return heads.map((head, i) => ({ line: shown[i] === '' ? head : `${head}: ${shown[i]}`, description: shown[i]! }));
}

function firstSentence(text: string): string {
  const { index = text.length } = text.matchAll(SENTENCE_END).next().value ?? {};
  return text.slice(0, index + 1);
}
