import { GrowingUint32 } from '../../../arrays/growing-array.js';
import { SCORED_FIELDS } from '../../../result.js';
import { normaliseText } from '../../../text/characters.js';
import { beginningsOf } from '../../../text/name-beginnings.js';
import { nameKey } from '../../../text/name-key.js';
import { visitWords, type WordVisitor } from '../../../text/words.js';
import { FIELDS, FILES, INNER, SCORED_OF, textsOfFiles } from '../../index-fields.js';
import type { DocumentSource, KeywordDocument } from '../../keyword-index.js';
import type { PackedKeywords } from '../packed-keywords.js';
import { NameCollector } from './build-name-table.js';
import { packLengths } from './pack-lengths.js';
import { PostingsBuilder } from './postings-builder.js';

/**
 * What an index of some documents is made of, collected in one go.
 */
export function collectKeywords(documents: DocumentSource): PackedKeywords {
  const collector = new DocumentCollector();
  for (const document of documents.all()) collector.add(document);
  return collector.pack();
}

/** What is indexed of a document. */
export type IndexedDocument = Omit<KeywordDocument, 'files'> & { readonly files: readonly { readonly text: string }[] };

/** Takes documents apart and collects what the index is made of. */
export class DocumentCollector {
  readonly #builder = new PostingsBuilder();
  /** Of each document the numbers of distinct terms by field. */
  readonly #lengths = new GrowingUint32();
  readonly #names = new NameCollector();
  readonly #beginnings = new NameCollector();
  #size = 0;
  /** The text that is being read, and the position of its first word. */
  #text = '';
  #base = 0;
  /** The parts of words in PascalCase of the document, and where they stand. */
  readonly #innerTerms: number[] = [];
  readonly #innerPositions: number[] = [];

  /** Adds the next document; they are numbered from 0. */
  add(document: IndexedDocument): void {
    const { name, author, labels, description } = document;
    // Positions of all these texts are of one space, with gaps, so that a phrase never goes from one into the next.
    this.#base = 0;
    for (const [field, texts] of [[name], [author], labels, [description]].entries()) {
      for (const text of texts) this.#read(text, this.#takeApart);
      this.#endField(field);
    }
    for (const [i, term] of this.#innerTerms.entries()) {
      this.#builder.add(term, this.#innerPositions[i]!, 1);
    }
    this.#innerTerms.length = 0;
    this.#innerPositions.length = 0;
    this.#endField(INNER);
    this.#base = 0;
    for (const text of textsOfFiles(document)) this.#read(text, this.#take);
    this.#endField(FILES);
    this.#names.add(this.#size, nameKey(name));
    for (const key of beginningsOf(name)) this.#beginnings.add(this.#size, key);
    this.#size += 1;
  }

  pack(): PackedKeywords {
    const size = this.#size;
    const lengths = new Uint32Array(size * SCORED_FIELDS.length);
    for (let document = 0; document < size; document++) {
      for (let field = 0; field < FIELDS.length; field++) {
        const i = SCORED_OF[field]! * size + document;
        lengths[i] = lengths[i]! + this.#lengths.at(document * FIELDS.length + field);
      }
    }
    return {
      size,
      ...this.#builder.pack(),
      ...packLengths(lengths),
      names: this.#names.pack(),
      beginnings: this.#beginnings.pack(),
      contentHashes: new Uint32Array(),
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

  #endField(field: number): void {
    this.#lengths.push(this.#builder.endField(this.#size, field));
  }
}
