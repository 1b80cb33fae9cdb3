import SearchableMap from 'minisearch/SearchableMap';
import {
  appendTo,
  beginningsOf,
  type DocumentNumber,
  foldAccents,
  isUnspacedTerm,
  madeOnce,
  nameKey,
  readWords,
  stemOf,
  type TermNumber,
  type Token,
} from '../core/index.js';
import { SCORED_FIELDS } from '../result.js';
import { LengthNorms } from './bm25.js';
import { compareWords, completedLists, NameSpellings } from './completions.js';
import { countDocuments } from './document-sets.js';
import type { CountedText, DocumentSource, KeywordDocument, KeywordIndex } from './keyword-index.js';
import { completesWords, FIELDS, FILES, INNER, SCORED_OF, textsOfFiles, withoutCutWord } from './keyword-index.js';
import type { CountedTerm, KeywordSource } from './keyword-source.js';
import { BLOCK, GONE, MANY } from './packed-keywords.js';
import type { Lookup } from './plan-steps.js';
import { PostingIndex } from './posting-index.js';
import { PostingList, standsAlone } from './posting-list.js';
import { isWithinEdits, LOOKUP_COST, numbersIn, TERM_COST, unitsOf } from './term-dictionary.js';
import { Work } from './work.js';

/** Documents added between two turns of the event loop. */
const DOCUMENTS_A_TURN = 100;

/** What becomes of the documents of one revision of a catalogue in the next one. */
export interface DocumentChange {
  /** For each former document its number now: ascending, {@link GONE} for one that is removed, or changed. */
  readonly numbers: Uint32Array;
  /** The numbers of all others, ascending: new ones, and those that changed. */
  readonly came: Uint32Array;
}

/**
 * The words of a catalogue in memory, in a radix tree of MiniSearch. Documents come and go: a revision of the catalogue
 * has an index of its own over the words, which stays as it is.
 */
export class MemoryIndex {
  #words: MemoryWords;
  /** By place in the words the number of a document, or {@link GONE}. */
  #numbers: Uint32Array;
  #current: KeywordIndex;

  /**
   * Indexes documents. Gives way to the event loop now and then.
   *
   * @throws the signal's reason when aborted
   */
  static async build(documents: DocumentSource, signal?: AbortSignal): Promise<MemoryIndex> {
    const words = new MemoryWords();
    for (const document of documents.all()) {
      words.add(document);
      if (words.size % DOCUMENTS_A_TURN !== 0) continue;
      await new Promise(setImmediate);
      signal?.throwIfAborted();
    }
    return new MemoryIndex(words, numbersIn(0, words.size), documents);
  }

  private constructor(words: MemoryWords, numbers: Uint32Array, documents: DocumentSource) {
    this.#words = words;
    this.#numbers = numbers;
    this.#current = new PostingIndex(new RevisionWords(words, numbers, documents.size), documents);
  }

  /** The index of the present revision. A change leaves it as it is, and puts another one in its place. */
  get current(): KeywordIndex {
    return this.#current;
  }

  /**
   * Goes over to the next revision of the catalogue.
   *
   * @param documents of that revision
   */
  change(documents: DocumentSource, { numbers, came }: DocumentChange): void {
    const present = Array.from(this.#numbers, (former) => (former === GONE ? GONE : numbers[former]!));
    const kept = present.filter((number) => number !== GONE);
    // Words of documents that are gone stay until these are the larger part.
    if (kept.length * 2 < present.length) {
      this.#words = this.#words.pick(present);
      present.splice(0, present.length, ...kept);
    }
    for (const number of came) {
      this.#words.add(documents.read(number));
      present.push(number);
    }
    this.#numbers = Uint32Array.from(present);
    this.#current = new PostingIndex(new RevisionWords(this.#words, this.#numbers, documents.size), documents);
  }
}

/** A term, and by field the documents that have it there. */
interface MemoryTerm {
  readonly number: TermNumber;
  readonly text: string;
  readonly postings: readonly Posting[][];
}

/** The positions of a term in a field of a document, as `PackedPostings.positions` has them. */
interface Posting {
  /** The place of the document. */
  readonly place: number;
  readonly frequency: number;
  readonly positions: readonly number[];
}

/** Words of documents in the order in which these came: each has a place in it. */
class MemoryWords {
  /** By place. */
  readonly names: string[] = [];
  /** By scored field, then by place: the number of distinct terms. */
  readonly lengths: readonly number[][] = SCORED_FIELDS.map(() => []);
  readonly terms: MemoryTerm[] = [];
  readonly #byText = new Map<string, MemoryTerm>();
  readonly #byStem = new Map<string, MemoryTerm[]>();
  /** By form without accents, the terms of scripts with spaces. */
  readonly #byForm = new SearchableMap<MemoryTerm[]>();
  /** The terms of other scripts. */
  readonly #byFirstCharacter = new Map<string, MemoryTerm[]>();

  /** Number of places. */
  get size(): number {
    return this.names.length;
  }

  add(document: KeywordDocument): void {
    const { name, author, labels, description } = document;
    this.names.push(name);
    for (const ofField of this.lengths) ofField.push(0);
    let [next, inner]: [number, Token[]] = [0, []];
    // All these texts share one sequence of positions. The gaps between them keep a phrase from crossing two texts.
    const read = (text: string): Token[] => {
      const tokens = readWords(text).map((token) => ({ ...token, position: next + token.position }));
      next = tokens.reduce((end, { position, span }) => Math.max(end, position + span), next) + 1;
      return tokens;
    };
    for (const [field, texts] of [[name], [author], labels, [withoutCutWord(description)]].entries()) {
      const tokens = texts.flatMap(read);
      inner = inner.concat(tokens.filter(({ kind }) => kind === 'inner'));
      this.#addField(
        field,
        tokens.filter(({ kind }) => kind !== 'inner'),
      );
    }
    this.#addField(INNER, inner);
    next = 0;
    this.#addField(FILES, textsOfFiles(document).flatMap(read));
  }

  #addField(field: number, tokens: readonly Token[]): void {
    const place = this.size - 1;
    const byTerm = new Map<string, Token[]>();
    for (const token of tokens) appendTo(byTerm, token.term, token);
    for (const [term, found] of byTerm) {
      this.#termOf(term).postings[field]!.push({ place, frequency: found.length, positions: positionsOf(found) });
    }
    this.lengths[SCORED_OF[field]!]![place]! += byTerm.size;
  }

  #termOf(term: string): MemoryTerm {
    const known = this.#byText.get(term);
    if (known !== undefined) return known;
    // A slice of a text would keep the whole text in memory as long as the term is used.
    const text = Buffer.from(term).toString();
    const made: MemoryTerm = { number: this.terms.length, text, postings: FIELDS.map(() => []) };
    this.terms.push(made);
    this.#byText.set(text, made);
    appendTo(this.#byStem, stemOf(text), made);
    const form = foldAccents(text);
    if (isUnspacedTerm(text)) appendTo(this.#byFirstCharacter, firstCharacterOf(form), made);
    else appendTo(this.#byForm, form, made);
    return made;
  }

  /** The terms that answer a lookup, each once. @param occurs whether a document of the revision has the term */
  find(lookup: Lookup, occurs: (term: MemoryTerm) => boolean): readonly MemoryTerm[] {
    return this.#find(lookup, occurs).filter(occurs);
  }

  #find(lookup: Lookup, occurs: (term: MemoryTerm) => boolean): readonly MemoryTerm[] {
    const form = foldAccents(lookup.term);
    switch (lookup.kind) {
      case 'stem':
        return this.#byStem.get(stemOf(lookup.term)) ?? [];
      case 'character':
        return this.#byFirstCharacter.get(form) ?? [];
      case 'prefix':
        return [...this.#byForm.atPrefix(form).values()].flat();
      case 'edits': {
        const near = [...new Set(this.#near(form, lookup.edits))];
        const units = unitsOf(form);
        const isNear = (other: string): boolean => isWithinEdits(units, unitsOf(other), 0, other.length, lookup.edits);
        const stems = near.filter((other) => isNear(other) && this.#byForm.get(other)!.some(occurs)).map(stemOf);
        return [...new Set(stems)].flatMap((stem) => this.#byStem.get(stem) ?? []);
      }
    }
  }

  /** The forms within some edits, and perhaps more. The radix tree knows no swaps, so swapped forms are looked up, too. */
  *#near(form: string, edits: number): Generator<string> {
    for (const [near] of this.#byForm.fuzzyGet(form, edits)) yield near;
    for (let i = 1; i < form.length; i++) {
      const swapped = form.slice(0, i - 1) + form[i] + form[i - 1] + form.slice(i + 1);
      if (edits > 1) yield* this.#near(swapped, edits - 1);
      else if (this.#byForm.has(swapped)) yield swapped;
    }
  }

  /** The words of some documents, which keep their order. @param numbers by place, {@link GONE} for one left out */
  pick(numbers: readonly number[]): MemoryWords {
    const picked = new MemoryWords();
    const placeOf = new Map<number, number>();
    for (const [place, number] of numbers.entries()) {
      if (number === GONE) continue;
      placeOf.set(place, picked.size);
      picked.names.push(this.names[place]!);
      for (const [field, lengths] of picked.lengths.entries()) lengths.push(this.lengths[field]![place]!);
    }
    for (const { text, postings } of this.terms) {
      for (const [field, ofField] of postings.entries()) {
        for (const posting of ofField) {
          const place = placeOf.get(posting.place);
          if (place !== undefined) picked.#termOf(text).postings[field]!.push({ ...posting, place });
        }
      }
    }
    return picked;
  }
}

function positionsOf(tokens: readonly Token[]): readonly number[] {
  const bytes: number[] = [];
  const push = (number: number): void => {
    let left = number;
    for (; left > 127; left >>>= 7) bytes.push((left & 127) | 128);
    bytes.push(left);
  };
  let before = 0;
  // A word that is cut to the maximum length can equal a compound that it is a part of, and come behind it.
  for (const { position, span } of [...tokens].sort((a, b) => a.position - b.position)) {
    push((position - before) * 2 + (span > 1 ? 1 : 0));
    if (span > 1) push(span);
    before = position;
  }
  return bytes;
}

function firstCharacterOf(form: string): string {
  return String.fromCodePoint(form.codePointAt(0)!);
}

/** The words of one revision, with lists of its documents. */
class RevisionWords implements KeywordSource {
  readonly #words: MemoryWords;
  /** By place in the words the number of a document. Places behind the last are of documents that came later. */
  readonly #numbers: Uint32Array;
  readonly #placeOf: Uint32Array;
  /** By term, the lists of all fields. */
  readonly #lists = new Map<TermNumber, readonly PostingList[]>();
  /** By table and key. */
  #names: ReadonlyMap<string, readonly DocumentNumber[]> | undefined;

  /** @param size number of documents */
  constructor(words: MemoryWords, numbers: Uint32Array, size: number) {
    this.#words = words;
    this.#numbers = numbers;
    this.#placeOf = new Uint32Array(size);
    for (const [place, number] of numbers.entries()) if (number !== GONE) this.#placeOf[number] = place;
  }

  find(lookup: Lookup, work: Work = new Work()): readonly TermNumber[] | undefined {
    if (!work.affords(LOOKUP_COST)) return undefined;
    const found = this.#words.find(lookup, ({ number }) => this.#listsOf(number).length > 0);
    return work.affords(found.length * TERM_COST) ? found.map(({ number }) => number) : undefined;
  }

  termAt(term: TermNumber): string {
    return this.#words.terms[term]!.text;
  }

  isAccented(term: TermNumber): boolean {
    const text = this.termAt(term);
    return foldAccents(text) !== text;
  }

  addLists(terms: readonly TermNumber[], lastField: number, lists: PostingList[], termOf: TermNumber[] = []): void {
    for (const term of terms) {
      for (const list of this.#listsOf(term)) {
        if (list.field > lastField) continue;
        lists.push(list);
        termOf.push(term);
      }
    }
  }

  needFrequencies(): void {}

  needPositions(): void {}

  readNorms(): readonly LengthNorms[] {
    return this.#words.lengths.map((lengths) => new LengthNorms(this.#placeOf.map((place) => lengths[place]!)));
  }

  documentsOf(table: 'names' | 'beginnings', key: string): readonly DocumentNumber[] {
    this.#names ??= this.#readNames();
    return this.#names.get(`${table} ${key}`) ?? [];
  }

  #readNames(): Map<string, DocumentNumber[]> {
    const found = new Map<string, DocumentNumber[]>();
    for (const [document, place] of this.#placeOf.entries()) {
      const name = this.#words.names[place]!;
      appendTo(found, `names ${nameKey(name)}`, document);
      for (const key of beginningsOf(name)) appendTo(found, `beginnings ${key}`, document);
    }
    return found;
  }

  wordsBeginning(letters: string, limit: number): readonly CountedTerm[] {
    return (this.find({ kind: 'prefix', term: letters }) ?? [])
      .map((term) => ({ text: this.termAt(term), terms: [term], lists: completedLists(this, [term]) }))
      .filter(({ text, lists }) => completesWords(text) && lists.some((list) => standsAlone(list)))
      .map(({ text, terms, lists }) => ({ text, terms, count: countDocuments(lists) }))
      .sort(compareWords)
      .slice(0, limit);
  }

  namesBeginning(text: string, limit: number): readonly CountedText[] {
    const spellings = new NameSpellings(text);
    for (const place of this.#placeOf) spellings.add(this.#words.names[place]!, 1);
    return spellings.mostFrequent(limit);
  }

  #listsOf(term: TermNumber): readonly PostingList[] {
    return madeOnce(this.#lists, term, () =>
      this.#words.terms[term]!.postings.flatMap((ofField, field) => this.#listOf(ofField, field)),
    );
  }

  #listOf(postings: readonly Posting[], field: number): PostingList[] {
    const found = postings
      .map((posting) => ({ document: this.#numbers[posting.place] ?? GONE, ...posting }))
      .filter(({ document }) => document !== GONE)
      .sort((a, b) => a.document - b.document);
    if (found.length === 0) return [];
    const many = found.map(({ frequency }, entry) => ({ frequency, entry })).filter(({ frequency: n }) => n >= MANY);
    const blockStarts: number[] = [];
    let end = 0;
    for (const [entry, { positions }] of found.entries()) {
      if (entry % BLOCK === 0) blockStarts.push(end);
      end += positions.length;
    }
    const documents = Uint32Array.from(found, ({ document }) => document);
    const frequencies = Uint8Array.from(found, ({ frequency }) => Math.min(frequency, MANY));
    const stored = {
      frequencies,
      manyEntries: Uint32Array.from(many, ({ entry }) => entry),
      manyFrequencies: Uint32Array.from(many, ({ frequency }) => frequency),
      positions: Uint8Array.from(found.flatMap(({ positions }) => positions)),
      blockStarts: Uint32Array.from(blockStarts),
    };
    return [new PostingList({ documents, frequencies, stored }, 0, documents.length, field)];
  }
}
