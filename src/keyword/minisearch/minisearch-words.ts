import type { Options } from 'minisearch';
import MiniSearch from 'minisearch';
import SearchableMap from 'minisearch/SearchableMap';
import {
  appendTo,
  beginningsOf,
  compareCodePoints,
  type DocumentNumber,
  foldAccents,
  isUnspacedTerm,
  nameKey,
  readWords,
  stemOf,
  type Token,
  typedNameKey,
} from '../../core/index.js';
import { SCORED_FIELDS } from '../../result.js';
import { LengthNorms } from '../bm25.js';
import { editDistance } from '../edit-distance.js';
import { COMPLETED_FIELDS, completesWords, FIELDS, PARTS_OF_SCORED, textsOfFiles } from '../index-fields.js';
import type { CountedText, DocumentSource, KeywordDocument } from '../keyword-index.js';
import type { Lookup } from '../plan-steps.js';

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

/** The documents that have a term in one field, each with the frequency of the term. */
export type FieldPostings = ReadonlyMap<DocumentNumber, number>;

/** Postings of a term by field number, as MiniSearch keeps them. */
export type TermPostings = ReadonlyMap<number, FieldPostings>;

interface Numbered {
  readonly id: number;
}

/**
 * A MiniSearch index that is filled with terms instead of texts, and gives access to its postings.
 *
 * `addAll` descends the radix tree for every occurrence of every word: for 94,254 skills with file text that takes
 * minutes. Here the tree is filled at the end, once for each distinct term, with the same result. `search` gathers all
 * documents of all words before it checks which have every word: for a question of ten words that takes a second. With
 * access to the postings, the rarest word can come first. MiniSearch declares the fields used here `protected`, for
 * subclasses.
 */
export class MiniSearchPostings extends MiniSearch<Numbered> {
  readonly #fieldCount: number;
  readonly #terms = new Map<string, Map<number, Map<number, number>>>();
  readonly #totalLengths: number[];

  constructor(options: Options<Numbered>) {
    super(options);
    this.#fieldCount = options.fields.length;
    this.#totalLengths = options.fields.map(() => 0);
  }

  /**
   * Adds a document. Documents must come in the order of their numbers, from 0, without gaps.
   *
   * @param terms all terms of each field, with repetitions, in the order of the fields
   */
  addTerms(document: DocumentNumber, terms: readonly (readonly string[])[]): void {
    this._documentIds.set(document, document);
    this._idToShortId.set(document, document);
    this._documentCount = document + 1;
    this._nextId = document + 1;
    const lengths = terms.map((ofField, field) => this.#addField(document, field, ofField));
    this._fieldLength.set(document, lengths);
    for (let field = 0; field < this.#fieldCount; field++) {
      this.#totalLengths[field] = this.#totalLengths[field]! + lengths[field]!;
    }
  }

  /** @returns the number of distinct terms, which is MiniSearch's length of a field */
  #addField(document: DocumentNumber, field: number, terms: readonly string[]): number {
    // Counting in a small map first is faster: the large one is rarely in the processor's cache.
    const frequencies = new Map<string, number>();
    for (const term of terms) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
    for (const [term, frequency] of frequencies) {
      let byField = this.#terms.get(term);
      if (byField === undefined) {
        byField = new Map();
        this.#terms.set(detach(term), byField);
      }
      const postings = byField.get(field);
      if (postings === undefined) byField.set(field, new Map([[document, frequency]]));
      else postings.set(document, frequency);
    }
    return frequencies.size;
  }

  /**
   * Completes the index. Lookups and searches work from here on.
   *
   * @param onTerm called with each distinct term once
   * @param pauseEvery the generator yields after this many terms, so that the caller can give way to other work
   */
  *finish(onTerm: (term: string) => void, pauseEvery: number): Generator<void> {
    let count = 0;
    for (const [term, byField] of this.#terms) {
      this._index.set(term, byField as never);
      onTerm(term);
      count += 1;
      if (count % pauseEvery === 0) yield;
    }
    this.#terms.clear();
    this._avgFieldLength = this.#totalLengths.map((length) => length / Math.max(1, this._documentCount));
  }

  /** The postings of a term; undefined if no document has it. */
  postingsOf(term: string): TermPostings | undefined {
    return this._index.get(term) as unknown as TermPostings | undefined;
  }

  /** The length of a field of a document, in distinct terms. */
  lengthOf(document: DocumentNumber, field: number): number {
    return this._fieldLength.get(document)![field]!;
  }
}

/** A copy of a term. A slice of a text would keep the whole text in memory as long as the term is used. */
function detach(term: string): string {
  return Buffer.from(term).toString();
}

/**
 * All terms of a catalogue, found by stem, by beginning and by edits. Terms keep their accents; lookups ignore them.
 */
export class Vocabulary {
  readonly #terms = new Set<string>();
  readonly #byStem = new Map<string, string[]>();
  /** By form without accents, the terms of scripts with spaces. A radix tree with fuzzy lookup. */
  readonly #byForm = new SearchableMap<string[]>();
  readonly #byFirstCharacter = new Map<string, string[]>();

  add(term: string): void {
    if (this.#terms.has(term)) return;
    this.#terms.add(term);
    appendTo(this.#byStem, stemOf(term), term);
    const form = foldAccents(term);
    if (isUnspacedTerm(term)) {
      appendTo(this.#byFirstCharacter, String.fromCodePoint(form.codePointAt(0)!), term);
    } else appendTo(this.#byForm, form, term);
  }

  /** The terms that answer a lookup, each once. */
  find(lookup: Lookup): readonly string[] {
    switch (lookup.kind) {
      case 'stem':
        return this.#byStem.get(stemOf(lookup.term)) ?? [];
      case 'character':
        return this.#byFirstCharacter.get(foldAccents(lookup.term)) ?? [];
      case 'prefix':
        return [...this.#byForm.atPrefix(foldAccents(lookup.term)).values()].flat();
      case 'edits':
        return this.#withinEdits(foldAccents(lookup.term), lookup.edits);
    }
  }

  #withinEdits(form: string, edits: number): string[] {
    const found = new Set<string>();
    for (const candidate of this.#candidates(form, edits)) {
      if (editDistance(form, candidate, edits) > edits) continue;
      for (const term of this.#byStem.get(stemOf(candidate)) ?? []) found.add(term);
    }
    return [...found];
  }

  /**
   * A superset of the forms within some edits. The radix tree knows no swaps, so swapped forms are looked up as well.
   */
  *#candidates(form: string, edits: number): Generator<string> {
    for (const [candidate] of this.#byForm.fuzzyGet(form, edits)) yield candidate;
    for (const swapped of neighbourSwaps(form)) {
      if (edits > 1) yield* this.#candidates(swapped, edits - 1);
      else if (this.#byForm.has(swapped)) yield swapped;
    }
  }
}

function* neighbourSwaps(form: string): Generator<string> {
  for (let i = 1; i < form.length; i++) {
    if (form[i] === form[i - 1]) continue;
    yield form.slice(0, i - 1) + form[i] + form[i - 1] + form.slice(i + 1);
  }
}
