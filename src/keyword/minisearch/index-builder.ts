import type { DocumentNumber } from '../../core/index.js';
import { appendTo, beginningsOf, nameKey, readWords } from '../../core/index.js';
import { SCORED_FIELDS } from '../../result.js';
import { COMPLETED_FIELDS } from '../completed-words.js';
import { FIELDS, PARTS_OF_SCORED, textsOfFiles } from '../index-fields.js';
import type { DocumentSource, KeywordDocument } from '../keyword-index.js';
import { LengthNorms } from '../length-norms.js';
import { Completions } from './completions.js';
import { MiniSearchPostings } from './minisearch-postings.js';
import { Vocabulary } from './vocabulary.js';

/** Number of documents added, and of terms inserted, between two turns of the event loop. */
const DOCUMENTS_A_TURN = 500;
const TERMS_A_TURN = 20_000;

/** Reads documents into what `MiniSearchIndex` answers from. */
export class IndexBuilder {
  readonly documents: DocumentSource;
  readonly vocabulary: Vocabulary = new Vocabulary();
  readonly postings: MiniSearchPostings = new MiniSearchPostings({ fields: [...FIELDS], processTerm: (term) => term });
  /** Documents by the keys of their names, and of the beginnings of their names. */
  readonly byName: Map<string, DocumentNumber[]> = new Map();
  readonly byBeginning: Map<string, DocumentNumber[]> = new Map();
  readonly completions: Completions = new Completions();
  /** By scored field; made when all documents are added. */
  readonly norms: LengthNorms[] = [];

  constructor(documents: DocumentSource) {
    this.documents = documents;
  }

  /** Does all the work, in pieces: the caller may give way to the event loop between them. */
  *build(): Generator<void> {
    let count = 0;
    for (const document of this.documents.all()) {
      this.#add(count++, document);
      if (count % DOCUMENTS_A_TURN === 0) yield;
    }
    yield* this.postings.finish((term) => this.vocabulary.add(term), TERMS_A_TURN);
    for (const field of SCORED_FIELDS) {
      yield;
      const lengths = this.#lengthsOf(PARTS_OF_SCORED[field]);
      let [total, greatest] = [0, 0];
      for (const length of lengths) [total, greatest] = [total + length, Math.max(greatest, length)];
      this.norms.push(new LengthNorms(lengths, total, greatest));
    }
  }

  #add(number: DocumentNumber, document: KeywordDocument): void {
    const { name, author, labels, description } = document;
    const inner: string[] = [];
    const termsOf = (texts: readonly string[], field: number): string[] => {
      const terms: string[] = [];
      for (const token of texts.flatMap((text) => readWords(text))) {
        (token.kind === 'inner' ? inner : terms).push(token.term);
        if (COMPLETED_FIELDS.includes(field)) this.completions.addToken(number, token);
      }
      return terms;
    };
    const core = [[name], [author], labels, [description]].map(termsOf);
    const fileTerms = textsOfFiles(document).flatMap((text) => readWords(text).map((token) => token.term));
    this.postings.addTerms(number, [...core, inner, fileTerms]);
    this.completions.addName(name);
    appendTo(this.byName, nameKey(name), number);
    for (const key of beginningsOf(name)) appendTo(this.byBeginning, key, number);
  }

  /** @param parts the fields that make up a scored field */
  #lengthsOf(parts: readonly number[]): Uint32Array {
    return Uint32Array.from({ length: this.documents.size }, (_, document) =>
      parts.reduce((sum, part) => sum + this.postings.lengthOf(document, part), 0),
    );
  }
}
