import type { DocumentNumber } from '../../numbers.js';
import { FILES, INNER } from '../index-fields.js';
import type { Phrase } from '../question.js';
import type { PackedPostings } from './packed-postings.js';
import { PhraseEnds } from './phrase-ends.js';
import { PositionReader } from './position-reader.js';
import type { PostingList } from './posting-list.js';

/** Reads a posting list in ascending order of documents. */
interface ListCursor {
  readonly list: PostingList;
  readonly reader: PositionReader;
  entry: number;
  /** Document of the entry; infinity behind the last one. */
  document: DocumentNumber;
}

/** A token of a phrase: its position in the phrase, and the lists of the terms that match it. */
interface PhraseToken {
  readonly position: number;
  readonly span: number;
  readonly cursors: readonly ListCursor[];
}

/** Finds phrases by the positions of their terms. */
export class PhraseFinder {
  readonly #postings: PackedPostings;
  readonly #ends = new PhraseEnds();

  constructor(postings: PackedPostings) {
    this.#postings = postings;
  }

  /**
   * The documents that have all phrases.
   *
   * @param documents ascending
   * @param listsOf the posting lists of all terms that match a term of a phrase
   * @param everywhere whether file texts and the parts of words in PascalCase count
   */
  filter(
    documents: Uint32Array,
    phrases: readonly Phrase[],
    listsOf: (term: string) => PostingList[],
    everywhere: boolean,
  ): Uint32Array {
    const isCore = (field: number): boolean => field < FILES && (everywhere || field !== INNER);
    const isFiles = (field: number): boolean => field === FILES;
    let found = documents;
    for (const phrase of phrases) {
      const inCore = this.#tokensOf(phrase, listsOf, everywhere, isCore);
      const inFiles = everywhere ? this.#tokensOf(phrase, listsOf, everywhere, isFiles) : [];
      const { length } = phrase;
      found = found.filter(
        (document) =>
          this.#hasPhrase(document, inCore, length) || (everywhere && this.#hasPhrase(document, inFiles, length)),
      );
    }
    this.#ends.trim();
    return found;
  }

  /**
   * Goes through the positions of the phrase in order. For each it knows where in the text the beginning of the phrase
   * up to there can end. In the phrase as in the text, a compound counts as a whole or as its parts.
   */
  #hasPhrase(document: DocumentNumber, tokens: readonly PhraseToken[], length: number): boolean {
    const ends = this.#ends;
    ends.clear();
    let unneeded = 0;
    for (let t = 0; t < tokens.length; t++) {
      const { position, span, cursors } = tokens[t]!;
      for (; unneeded < position; unneeded++) ends.forget(unneeded);
      if (position > 0 && !ends.any(position)) continue;
      for (let c = 0; c < cursors.length; c++) {
        const cursor = cursors[c]!;
        if (cursor.document < document) advance(cursor, document);
        if (cursor.document !== document) continue;
        const { reader } = cursor;
        const count = reader.read(cursor.entry);
        const { positions, spans } = reader;
        for (let i = 0; i < count; i++) {
          const inText = positions[i]!;
          if (position === 0 || ends.has(position, inText)) ends.add(position + span, inText + spans[i]!);
        }
      }
    }
    return ends.any(length);
  }

  /** The tokens of a phrase in the order of their positions. */
  #tokensOf(
    { tokens }: Phrase,
    listsOf: (term: string) => PostingList[],
    everywhere: boolean,
    isSearched: (field: number) => boolean,
  ): PhraseToken[] {
    // The tokens of a word that occurs in the phrase several times share their cursors, so the word is read once.
    const cursorsOf = new Map<string, ListCursor[]>();
    const cursorsFor = (term: string): ListCursor[] => {
      const lists = listsOf(term).filter(({ field }) => isSearched(field));
      return lists.map((list) => {
        const reader = new PositionReader(this.#postings, list);
        return { list, reader, entry: list.from, document: list.documentAt(list.from) };
      });
    };
    return tokens
      .filter(({ kind }) => everywhere || kind !== 'inner')
      .map(({ term, position, span }) => {
        const cursors = cursorsOf.get(term) ?? cursorsFor(term);
        cursorsOf.set(term, cursors);
        return { position, span, cursors };
      })
      .sort((a, b) => a.position - b.position);
  }
}

/** Goes to the entry of a document, or of the next document behind it. */
function advance(cursor: ListCursor, document: DocumentNumber): void {
  const { list } = cursor;
  cursor.entry = list.entryOf(document, cursor.entry);
  cursor.document = cursor.entry < list.to ? list.documentAt(cursor.entry) : Number.POSITIVE_INFINITY;
}
