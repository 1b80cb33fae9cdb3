import { FIELDS } from '../index-fields.js';
import type { DocumentSource, KeywordDocument } from '../keyword-index.js';
import { nameKey } from '../name-key.js';
import { readWords } from '../words.js';
import { hashOfName } from './name-hash.js';
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
  readonly #hashes: Float64Array;

  constructor(size: number) {
    this.#size = size;
    this.#lengths = new Uint32Array(size * FIELDS.length);
    this.#hashes = new Float64Array(size);
  }

  /** Documents must come in the order of their numbers. */
  add(number: number, { name, author, labels, description, files }: KeywordDocument): void {
    // Positions of all these texts are of one space, with gaps, so that a phrase never goes from one into the next.
    let base = 0;
    const inner: { readonly term: string; readonly position: number }[] = [];
    const read = (text: string, apart: boolean): void => {
      let end = base;
      for (const { term, kind, position, span } of readWords(text)) {
        if (apart && kind === 'inner') inner.push({ term, position: base + position });
        else this.#builder.add(term, base + position, span);
        end = Math.max(end, base + position + span);
      }
      base = end + 1;
    };
    for (const [field, texts] of [[name], [author], labels, [description]].entries()) {
      for (const text of texts) read(text, true);
      this.#endField(number, field);
    }
    for (const { term, position } of inner) this.#builder.add(term, position, 1);
    this.#endField(number, INNER);
    base = 0;
    for (const { text } of files) read(text, false);
    this.#endField(number, FILES);
    // The document behind the hash: both fit a 64-bit float exactly.
    this.#hashes[number] = hashOfName(nameKey(name)) * 2 ** 21 + number;
  }

  pack(): PackedKeywords {
    const hashes = this.#hashes.sort();
    return {
      size: this.#size,
      ...this.#builder.pack(),
      lengths: this.#lengths,
      nameHashes: Uint32Array.from(hashes, (value) => Math.floor(value / 2 ** 21)),
      nameDocuments: Uint32Array.from(hashes, (value) => value % 2 ** 21),
    };
  }

  #endField(number: number, field: number): void {
    this.#lengths[field * this.#size + number] = this.#builder.endField(number, field);
  }
}
