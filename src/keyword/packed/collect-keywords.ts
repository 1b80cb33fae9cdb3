import { normaliseText } from '../characters.js';
import { FIELDS } from '../index-fields.js';
import type { DocumentSource, KeywordDocument } from '../keyword-index.js';
import { nameKey } from '../name-key.js';
import { visitWords, type WordVisitor } from '../words.js';
import { hashOfName, packNames } from './name-hash.js';
import type { PackedKeywords } from './packed-keywords.js';
import { PostingsBuilder } from './postings-builder.js';

/** Numbers of the last two fields. */
const INNER = 4;
const FILES = 5;

/**
 * What an index of some documents is made of, collected in one go.
 *
 * @param onDocument called with the number of documents so far
 */
export function collectKeywords(documents: DocumentSource, onDocument?: (done: number) => void): PackedKeywords {
  const collector = new DocumentCollector(documents.size);
  let number = 0;
  for (const document of documents.all()) {
    collector.add(number++, document);
    onDocument?.(number);
  }
  return collector.pack();
}

/** Takes documents apart and collects what the index is made of. */
export class DocumentCollector {
  readonly #size: number;
  readonly #builder = new PostingsBuilder();
  readonly #lengths: Uint32Array;
  readonly #nameHashes: Uint32Array;
  /** The text that is being read, and the position of its first word. */
  #text = '';
  #base = 0;
  /** The parts of words in PascalCase of the document, and where they stand. */
  readonly #innerTerms: number[] = [];
  readonly #innerPositions: number[] = [];

  constructor(size: number) {
    this.#size = size;
    this.#lengths = new Uint32Array(size * FIELDS.length);
    this.#nameHashes = new Uint32Array(size);
  }

  /** Documents must come in the order of their numbers. */
  add(number: number, { name, author, labels, description, files }: KeywordDocument): void {
    // Positions of all these texts are of one space, with gaps, so that a phrase never goes from one into the next.
    this.#base = 0;
    for (const [field, texts] of [[name], [author], labels, [description]].entries()) {
      for (const text of texts) this.#read(text, this.#takeApart);
      this.#endField(number, field);
    }
    for (const [i, term] of this.#innerTerms.entries()) {
      this.#builder.add(term, this.#innerPositions[i] as number, 1);
    }
    this.#innerTerms.length = 0;
    this.#innerPositions.length = 0;
    this.#endField(number, INNER);
    this.#base = 0;
    for (const { text } of files) this.#read(text, this.#take);
    this.#endField(number, FILES);
    this.#nameHashes[number] = hashOfName(nameKey(name));
  }

  pack(): PackedKeywords {
    return {
      size: this.#size,
      ...this.#builder.pack(),
      lengths: this.#lengths,
      ...packNames(this.#nameHashes),
    };
  }

  #read(text: string, visit: WordVisitor): void {
    this.#text = normaliseText(text);
    const positions = visitWords(this.#text, visit);
    this.#base += positions + 1;
  }

  readonly #take: WordVisitor = (term, _, position, span, start, end) => {
    this.#builder.add(this.#numberOf(term, start, end), this.#base + position, span);
  };

  readonly #takeApart: WordVisitor = (term, kind, position, span, start, end) => {
    const number = this.#numberOf(term, start, end);
    if (kind !== 'inner') {
      this.#builder.add(number, this.#base + position, span);
      return;
    }
    this.#innerTerms.push(number);
    this.#innerPositions.push(this.#base + position);
  };

  #numberOf(term: string | undefined, start: number, end: number): number {
    const { terms } = this.#builder;
    return term === undefined ? terms.addPlain(this.#text, start, end) : terms.add(term);
  }

  #endField(number: number, field: number): void {
    this.#lengths[field * this.#size + number] = this.#builder.endField(number, field);
  }
}
