import { normaliseText, plainTerm, visitWords } from '../../core/index.js';
import type { MatchedTerms } from '../../result.js';
import type { KeywordDocument, TermMatcher } from '../keyword-index.js';
import { MAX_READ } from './snippet.js';

/**
 * The terms of a document that answered the question, by field, each once, in the order of the text. Only the beginning
 * of a very long text is read.
 */
export function matchedTerms(document: KeywordDocument, matches: TermMatcher): MatchedTerms {
  const everywhere = matches.step !== 'all-words';
  const termsIn = (texts: readonly string[]): readonly string[] | undefined => {
    const found = new Set<string>();
    for (const text of texts) {
      const read = normaliseText(text.slice(0, MAX_READ));
      visitWords(read, (other, kind, _position, _span, start, end) => {
        if (!everywhere && kind === 'inner') return;
        const term = other ?? plainTerm(read, start, end);
        if (matches.accepts(term)) found.add(term);
      });
    }
    return found.size === 0 ? undefined : [...found];
  };
  const byField = {
    name: termsIn([document.name]),
    author: termsIn([document.author]),
    labels: termsIn(document.labels),
    description: termsIn([document.description]),
    files: everywhere ? termsIn(document.files.map((file) => file.text)) : undefined,
  };
  return Object.fromEntries(Object.entries(byField).filter(([, terms]) => terms !== undefined));
}
