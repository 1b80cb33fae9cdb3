import type { DocumentNumber, TermNumber } from '../../../core/index.js';
import type { PackedPostings } from '../packed-postings.js';
import type { PackedDictionary } from '../term-dictionary.js';
import { FieldPositions } from './field-positions.js';
import { packDictionary } from './pack-dictionary.js';
import { PostingsLog } from './postings-log.js';
import { TermTable } from './term-table.js';

/** Collects the terms of documents and their positions, field by field. */
export class PostingsBuilder {
  /** Gives the numbers of the terms for {@link add}. */
  readonly terms: TermTable = new TermTable();
  readonly #field = new FieldPositions();
  readonly #log = new PostingsLog();

  /** Adds one occurrence of a term to the current field. */
  add(term: TermNumber, position: number, span: number): void {
    this.#field.add(term, position, span);
  }

  /**
   * Ends the current field of a document. Documents must come in ascending order.
   *
   * @returns the number of its distinct terms
   */
  endField(document: DocumentNumber, field: number): number {
    const { termCount } = this.#field;
    if (termCount === 0) return 0;
    this.#log.add(document, field, this.#field, this.terms.size);
    this.#field.clear();
    return termCount;
  }

  /** Ends the collecting. Nothing can be added any more. */
  pack(): { readonly dictionary: PackedDictionary; readonly postings: PackedPostings } {
    const { dictionary, numberOf } = packDictionary(this.terms.strings);
    return { dictionary, postings: this.#log.sort(numberOf) };
  }
}
