import {
  beginningsOf,
  GrowingUint32,
  nameKey,
  normaliseText,
  type TermNumber,
  visitWords,
  type WordVisitor,
} from '../../core/index.js';
import { SCORED_FIELDS } from '../../result.js';
import type { DocumentSource, KeywordDocument } from '../keyword-index.js';
import { FIELDS, FILES, INNER, SCORED_OF, textsOfFiles, withoutCutWord } from '../keyword-index.js';
import type { PackedKeywords } from '../packed-keywords.js';
import { NameCollector, NameSpellings, packTerms } from './pack-names.js';
import { PostingsBuilder } from './postings-builder.js';

/** Collects the arrays of an index of all documents. */
export function collectKeywords(documents: DocumentSource): PackedKeywords {
  const collector = new DocumentCollector();
  for (const document of documents.all()) collector.add(document);
  return collector.pack();
}

/** What is indexed of a document. */
export type IndexedDocument = Omit<KeywordDocument, 'files'> & { readonly files: readonly { readonly text: string }[] };

/** Splits documents into terms and collects the arrays of their index. */
export class DocumentCollector {
  readonly #builder = new PostingsBuilder();
  /** By document, then by field: the number of distinct terms. */
  readonly #lengths = new GrowingUint32();
  readonly #names = new NameCollector();
  readonly #beginnings = new NameCollector();
  readonly #spellings = new NameSpellings();
  #size = 0;
  /** The current text, and the position of its first word. */
  #text = '';
  #firstPosition = 0;
  /** The parts of words in PascalCase of the current document, and their positions. */
  readonly #innerTerms: TermNumber[] = [];
  readonly #innerPositions: number[] = [];

  /** Adds the next document. Documents are numbered from 0. */
  add(document: IndexedDocument): void {
    const { name, author, labels, description } = document;
    // All these texts share one sequence of positions. The gaps between them keep a phrase from crossing two texts.
    this.#firstPosition = 0;
    for (const [field, texts] of [[name], [author], labels, [withoutCutWord(description)]].entries()) {
      for (const text of texts) this.#read(text, this.#addOuterOrInner);
      this.#endField(field);
    }
    for (const [i, term] of this.#innerTerms.entries()) {
      this.#builder.add(term, this.#innerPositions[i]!, 1);
    }
    this.#innerTerms.length = 0;
    this.#innerPositions.length = 0;
    this.#endField(INNER);
    this.#firstPosition = 0;
    for (const text of textsOfFiles(document)) this.#read(text, this.#add);
    this.#endField(FILES);
    this.#spellings.add(name);
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
    const { dictionary, postings, texts } = this.#builder.pack();
    return {
      size,
      dictionary,
      postings,
      lengths,
      names: this.#names.pack(),
      beginnings: this.#beginnings.pack(),
      completions: { ...packTerms(texts, postings), ...this.#spellings.pack() },
      contentHashes: new Uint32Array(),
    };
  }

  #read(text: string, visit: WordVisitor): void {
    this.#text = normaliseText(text);
    const positions = visitWords(this.#text, visit);
    this.#firstPosition += positions + 1;
  }

  readonly #add: WordVisitor = (term, _, position, span, start, end) => {
    this.#builder.add(this.#termOf(term, start, end), this.#firstPosition + position, span);
  };

  readonly #addOuterOrInner: WordVisitor = (term, kind, position, span, start, end) => {
    const added = this.#termOf(term, start, end);
    if (kind !== 'inner') {
      this.#builder.add(added, this.#firstPosition + position, span);
      return;
    }
    this.#innerTerms.push(added);
    this.#innerPositions.push(this.#firstPosition + position);
  };

  /** @param term undefined if it is the `plainTerm` of its characters */
  #termOf(term: string | undefined, start: number, end: number): TermNumber {
    const { terms } = this.#builder;
    return term === undefined ? terms.addPlain(this.#text, start, end) : terms.add(term);
  }

  #endField(field: number): void {
    this.#lengths.push(this.#builder.endField(this.#size, field));
  }
}

/** Documents added between two turns of the event loop: some twenty milliseconds. */
const DOCUMENTS_PER_TURN = 50;

/**
 * Collects the arrays of an index of documents. Gives way to the event loop in between.
 *
 * @throws the signal's reason when aborted
 */
export async function collectInTurns(
  documents: Pick<DocumentSource, 'all'>,
  signal?: AbortSignal,
): Promise<PackedKeywords> {
  const collector = new DocumentCollector();
  let count = 0;
  for (const document of documents.all()) {
    collector.add(document);
    count += 1;
    if (count % DOCUMENTS_PER_TURN !== 0) continue;
    await new Promise(setImmediate);
    signal?.throwIfAborted();
  }
  return collector.pack();
}
