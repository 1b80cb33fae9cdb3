import type { DocumentNumber, TermNumber } from '../../numbers.js';
import { sameAccents } from '../../text/characters.js';
import type { AnsweredWord } from './answer-reader.js';
import type { TermDictionary } from './term-dictionary.js';

/** The documents that have a word only with other accents than in the question. */
export function documentsWithOtherAccents(
  { asked, lists, termOf }: AnsweredWord,
  dictionary: TermDictionary,
): DocumentNumber[] {
  const isExact = (term: TermNumber): boolean => {
    const text = dictionary.termAt(term);
    return asked.terms.some((one) => sameAccents(one, text));
  };
  const exactTerms = new Set([...new Set(termOf)].filter(isExact));
  const exact = lists.filter((_, i) => exactTerms.has(termOf[i]!));
  const others = lists.filter((_, i) => !exactTerms.has(termOf[i]!));
  const documents = others.flatMap((list) => [...list.documents]);
  for (const list of exact) list.needFrequencies();
  return documents.filter((document) => exact.every((list) => list.get(document) === undefined));
}
