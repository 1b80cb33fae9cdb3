import type { DocumentNumber, Token } from '../../core/index.js';
import { compareCodePoints, foldAccents, typedNameKey } from '../../core/index.js';
import { completesWords } from '../completed-words.js';
import type { CountedText } from '../keyword-index.js';

/** What completes a question that somebody is typing, looked for without an index. */
export class Completions {
  /** The documents that have a term in name, labels or description. */
  readonly #documentsOf = new Map<string, Set<DocumentNumber>>();
  /** The terms that are single words somewhere there. */
  readonly #single = new Set<string>();
  /** By name the number of documents. */
  readonly #names = new Map<string, number>();

  /** Adds the name of a document. */
  addName(name: string): void {
    this.#names.set(name, (this.#names.get(name) ?? 0) + 1);
  }

  /** Adds a token of a document's name, labels or description. */
  addToken(document: DocumentNumber, { term, kind, span }: Token): void {
    if (kind === 'inner') return;
    if (span === 1) this.#single.add(term);
    const documents = this.#documentsOf.get(term) ?? new Set();
    this.#documentsOf.set(term, documents.add(document));
  }

  /** See `KeywordIndex.wordsBeginning`; before any are left out. */
  words(letters: string, limit: number): CountedText[] {
    const beginning = foldAccents(letters);
    return [...this.#single]
      .filter((term) => completesWords(term) && foldAccents(term).startsWith(beginning))
      .map((term) => ({ text: term, count: this.documentsOf(term).size }))
      .sort(
        (a, b) =>
          b.count - a.count ||
          compareCodePoints(foldAccents(a.text), foldAccents(b.text)) ||
          compareCodePoints(a.text, b.text),
      )
      .slice(0, limit);
  }

  /** See `KeywordIndex.namesBeginning`. */
  names(text: string, limit: number): CountedText[] {
    const wanted = typedNameKey(text);
    if (wanted === '') return [];
    const spellings = new Map<string, { key: string; text: string; most: number; count: number }>();
    for (const [name, count] of [...this.#names].sort(([a], [b]) => compareCodePoints(a, b))) {
      const key = typedNameKey(name);
      if (!key.startsWith(wanted)) continue;
      const before = spellings.get(key) ?? { key, text: name, most: 0, count: 0 };
      const best = count > before.most ? { text: name, most: count } : { text: before.text, most: before.most };
      spellings.set(key, { key, ...best, count: before.count + count });
    }
    return [...spellings.values()]
      .sort(
        (a, b) =>
          b.count - a.count || Buffer.byteLength(a.text) - Buffer.byteLength(b.text) || compareCodePoints(a.key, b.key),
      )
      .slice(0, limit)
      .map(({ text: name, count }) => ({ text: name, count }));
  }

  /** The documents that have a term, as it stands, in name, labels or description. */
  documentsOf(term: string): ReadonlySet<DocumentNumber> {
    return this.#documentsOf.get(term) ?? new Set();
  }
}
