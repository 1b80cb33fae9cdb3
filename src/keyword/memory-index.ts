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
  type TermNumber,
  type Token,
  typedNameKey,
} from '../core/index.js';
import { SCORED_FIELDS } from '../result.js';
import type { AnsweringTerms } from './answers.js';
import { LengthNorms } from './bm25.js';
import { type Completions, completedLists, mostFrequent, type TogetherCounter } from './completions.js';
import { countDocuments } from './document-sets.js';
import type { CompletionOptions, CountedText, DocumentSource, KeywordDocument, KeywordIndex } from './keyword-index.js';
import { COMPLETED_FIELDS, completesWords, FILES, INNER, SCORED_OF, textsOfFiles } from './keyword-index.js';
import { PostingIndex } from './packed-index.js';
import { GONE, MANY, NO_POSTINGS } from './packed-keywords.js';
import type { Lookup, StepPlan } from './plan-steps.js';
import { PostingList } from './posting-list.js';
import type { Phrase } from './question.js';
import type { IndexTerms } from './segments.js';
import { editDistance, LOOKUP_COST, TERM_COST } from './term-dictionary.js';
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
    return new MemoryIndex(
      words,
      Uint32Array.from({ length: words.size }, (_, i) => i),
      documents,
    );
  }

  private constructor(words: MemoryWords, numbers: Uint32Array, documents: DocumentSource) {
    this.#words = words;
    this.#numbers = numbers;
    this.#current = indexOf(words, numbers, documents);
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
    this.#current = indexOf(this.#words, this.#numbers, documents);
  }
}

/** A term with the documents that have it. Documents are numbered by their places. */
interface MemoryTerm {
  readonly number: TermNumber;
  readonly text: string;
  /** By field, the frequency of the term in each document; undefined before any has it there. */
  readonly frequencies: (Map<number, number> | undefined)[];
  /** The documents in which it stands by itself in a field whose words complete what is typed. */
  alone: Set<number> | undefined;
}

/** Words of documents in the order in which these came. */
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
    const place = this.size;
    this.names.push(name);
    for (const ofField of this.lengths) ofField.push(0);
    let inner: Token[] = [];
    for (const [field, texts] of [[name], [author], labels, [description]].entries()) {
      const tokens = texts.flatMap((text) => readWords(text));
      inner = inner.concat(tokens.filter(({ kind }) => kind === 'inner'));
      this.#addField(
        place,
        field,
        tokens.filter(({ kind }) => kind !== 'inner'),
      );
    }
    this.#addField(place, INNER, inner);
    this.#addField(
      place,
      FILES,
      textsOfFiles(document).flatMap((text) => readWords(text)),
    );
  }

  #addField(place: number, field: number, tokens: readonly Token[]): void {
    const frequencies = new Map<string, number>();
    for (const { term } of tokens) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
    for (const [term, frequency] of frequencies) setFrequency(this.#termOf(term), field, place, frequency);
    const lengths = this.lengths[SCORED_OF[field]!]!;
    lengths[place] = lengths[place]! + frequencies.size;
    if (!COMPLETED_FIELDS.includes(field)) return;
    for (const { term, span } of tokens) if (span === 1) addAlone(this.#termOf(term), place);
  }

  #termOf(term: string): MemoryTerm {
    const known = this.#byText.get(term);
    if (known !== undefined) return known;
    // A slice of a text would keep the whole text in memory as long as the term is used.
    const text = Buffer.from(term).toString();
    const made: MemoryTerm = { number: this.terms.length, text, frequencies: [], alone: undefined };
    this.terms.push(made);
    this.#byText.set(text, made);
    appendTo(this.#byStem, stemOf(text), made);
    const form = foldAccents(text);
    if (isUnspacedTerm(text)) appendTo(this.#byFirstCharacter, firstCharacterOf(form), made);
    else appendTo(this.#byForm, form, made);
    return made;
  }

  /** The terms that answer a lookup, each once. */
  find(lookup: Lookup): readonly MemoryTerm[] {
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
        const stems = near.filter((other) => editDistance(form, other, lookup.edits) <= lookup.edits).map(stemOf);
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
    for (const { text, frequencies, alone } of this.terms) {
      for (const [field, ofField] of frequencies.entries()) {
        for (const [place, frequency] of ofField ?? []) {
          const now = placeOf.get(place);
          if (now === undefined) continue;
          const term = picked.#termOf(text);
          setFrequency(term, field, now, frequency);
          if (alone?.has(place) === true) addAlone(term, now);
        }
      }
    }
    return picked;
  }
}

function setFrequency({ frequencies }: MemoryTerm, field: number, place: number, frequency: number): void {
  while (frequencies.length <= field) frequencies.push(undefined);
  frequencies[field] = (frequencies[field] ?? new Map<number, number>()).set(place, frequency);
}

function addAlone(term: MemoryTerm, place: number): void {
  term.alone = (term.alone ?? new Set<number>()).add(place);
}

function firstCharacterOf(form: string): string {
  return String.fromCodePoint(form.codePointAt(0)!);
}

/** The index of one revision. @param numbers by place in the words, see {@link MemoryIndex} */
function indexOf(words: MemoryWords, numbers: Uint32Array, documents: DocumentSource): KeywordIndex {
  const { size } = documents;
  const placeOf = new Uint32Array(size);
  for (const [place, number] of numbers.entries()) if (number !== GONE) placeOf[number] = place;
  const terms = new RevisionTerms(words, numbers, placeOf);
  const names = Array.from(placeOf, (place) => words.names[place]!);
  const byKey = (keysOf: (name: string) => readonly string[]): ((key: string) => readonly DocumentNumber[]) => {
    let found: Map<string, DocumentNumber[]> | undefined;
    return (key) => {
      if (found === undefined) {
        found = new Map();
        for (const [document, name] of names.entries()) for (const one of keysOf(name)) appendTo(found, one, document);
      }
      return found.get(key) ?? [];
    };
  };
  return new PostingIndex({
    size,
    documents,
    terms,
    readNorms: () =>
      words.lengths.map((lengths) => LengthNorms.of(Uint32Array.from(placeOf, (place) => lengths[place]!))),
    documentsOfName: byKey((name) => [nameKey(name)]),
    documentsOfBeginning: byKey(beginningsOf),
    completionsWith: (together) => completionsOf(terms, names, together),
    withPhrases: (found, plan, answers, work) => documentsWithPhrases(documents, found, plan, answers, terms, work),
  });
}

/** The terms of one revision, with lists of its documents. */
class RevisionTerms implements IndexTerms {
  readonly #words: MemoryWords;
  readonly #numbers: Uint32Array;
  readonly #placeOf: Uint32Array;
  /** By term, the lists of all fields. */
  readonly #lists = new Map<TermNumber, readonly PostingList[]>();

  constructor(words: MemoryWords, numbers: Uint32Array, placeOf: Uint32Array) {
    this.#words = words;
    this.#numbers = numbers;
    this.#placeOf = placeOf;
  }

  find(lookup: Lookup, work: Work = new Work()): readonly TermNumber[] | undefined {
    if (!work.affords(LOOKUP_COST)) return undefined;
    const found = this.#words.find(lookup).filter(({ number }) => this.#listsOf(number).length > 0);
    return work.affords(found.length * TERM_COST) ? found.map(({ number }) => number) : undefined;
  }

  occurs(lookup: Lookup, work: Work): boolean {
    return (this.find(lookup, work) ?? []).length > 0;
  }

  termAt(term: TermNumber): string {
    return this.#words.terms[term]!.text;
  }

  isAccented(term: TermNumber): boolean {
    const text = this.termAt(term);
    return foldAccents(text) !== text;
  }

  /** Whether a term stands by itself in a field whose words complete what is typed. */
  standsAlone(term: TermNumber): boolean {
    return [...(this.#words.terms[term]!.alone ?? [])].some((place) => this.#numberOf(place) !== GONE);
  }

  listsOf(term: TermNumber, lastField: number): PostingList[] {
    return this.#listsOf(term).filter(({ field }) => field <= lastField);
  }

  addLists(terms: readonly TermNumber[], lastField: number, lists: PostingList[], termOf: TermNumber[]): void {
    for (const term of terms) {
      for (const list of this.listsOf(term, lastField)) {
        lists.push(list);
        termOf.push(term);
      }
    }
  }

  needFrequencies(): void {}

  needPositions(): void {}

  #listsOf(term: TermNumber): readonly PostingList[] {
    let lists = this.#lists.get(term);
    if (lists === undefined) {
      lists = this.#words.terms[term]!.frequencies.flatMap((ofField, field) => this.#listOf(ofField, field));
      this.#lists.set(term, lists);
    }
    return lists;
  }

  #listOf(ofField: ReadonlyMap<number, number> | undefined, field: number): PostingList[] {
    if (ofField === undefined) return [];
    const documents = Uint32Array.from([...ofField.keys()].map((place) => this.#numberOf(place)))
      .filter((number) => number !== GONE)
      .sort();
    if (documents.length === 0) return [];
    const frequencies = documents.map((document) => ofField.get(this.#placeOf[document]!)!);
    const manyEntries = Uint32Array.from(frequencies.keys()).filter((entry) => frequencies[entry]! >= MANY);
    const manyFrequencies = manyEntries.map((entry) => frequencies[entry]!);
    const stored = { ...NO_POSTINGS, manyEntries, manyFrequencies };
    const bytes = Uint8Array.from(frequencies, (frequency) => Math.min(frequency, MANY));
    return [new PostingList({ documents, frequencies: bytes, stored }, 0, documents.length, field)];
  }

  /** Places behind the last are of documents that came later. */
  #numberOf(place: number): number {
    return this.#numbers[place] ?? GONE;
  }
}

/** @param names by document */
function completionsOf(terms: RevisionTerms, names: readonly string[], together: TogetherCounter): Completions {
  const wordsBeginning = (letters: string, { limit, isLeftOut, words }: CompletionOptions) => {
    const found = (terms.find({ kind: 'prefix', term: letters }) ?? [])
      .filter((term) => completesWords(terms.termAt(term)) && terms.standsAlone(term))
      .map((term) => ({ term, text: terms.termAt(term), count: countDocuments(completedLists(terms, term)) }))
      .sort((a, b) => b.count - a.count || compareTerms(a.text, b.text))
      .slice(0, limit)
      .filter(({ text }) => !isLeftOut(text));
    const numbers = found.map(({ term }) => [term]);
    const counts = together.count(words, numbers);
    return found.map(({ text, count }, i) => ({ text, count, together: counts?.[i] }));
  };
  const namesBeginning = (text: string, limit: number): CountedText[] => {
    const wanted = typedNameKey(text);
    if (wanted === '') return [];
    const byKey = new Map<string, Map<string, number>>();
    for (const name of names) {
      const key = typedNameKey(name);
      if (!key.startsWith(wanted)) continue;
      const spellings = byKey.get(key) ?? new Map<string, number>();
      byKey.set(key, spellings.set(name, (spellings.get(name) ?? 0) + 1));
    }
    return Array.from(byKey, ([key, spellings]) => mostFrequent(key, spellings))
      .sort((a, b) => b.count - a.count || a.bytes - b.bytes || compareCodePoints(a.key, b.key))
      .slice(0, limit)
      .map((name) => ({ text: name.text, count: name.count }));
  };
  return { wordsBeginning, namesBeginning };
}

/** The order of terms in a dictionary. */
function compareTerms(a: string, b: string): number {
  return compareCodePoints(foldAccents(a), foldAccents(b)) || compareCodePoints(a, b);
}

/** Whether a term of a text answers a term of a phrase. */
type Accepts = (asked: string, term: string) => boolean;

/** Looks for phrases in the texts of documents. Without enough work, only the first of them are looked at. */
function documentsWithPhrases(
  source: DocumentSource,
  documents: Uint32Array,
  { phrases, everywhere }: StepPlan,
  answers: AnsweringTerms,
  terms: RevisionTerms,
  work: Work,
): Uint32Array {
  const answering = new Map(
    Array.from(answers, ([asked, found]) => [asked, new Set(found.map((n) => terms.termAt(n)))]),
  );
  const accepts: Accepts = (asked, term) => answering.get(asked)?.has(term) === true;
  // Splitting a text into words takes, for each of its characters, as long as reading a posting; each word of a text may
  // be compared with each of a phrase.
  const costOfCharacter = Math.max(1, phrases.reduce((sum, { length }) => sum + length, 0) / 2);
  const found: DocumentNumber[] = [];
  for (const number of documents) {
    const document = source.read(number);
    const core = [document.name, document.author, ...document.labels, document.description];
    const texts = everywhere ? [...core, ...document.files.map(({ text }) => text)] : core;
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    if (!work.affords(length * costOfCharacter)) break;
    const read = texts.map((text) => readWords(text));
    // No phrase continues in the next text.
    if (phrases.every((phrase) => read.some((tokens) => hasPhrase(tokens, phrase, accepts, everywhere)))) {
      found.push(number);
    }
  }
  return Uint32Array.from(found);
}

/**
 * Whether the words of a phrase stand together in a text: whether both can be read, from some position on, as the same
 * sequence of terms. Either may read a compound as a whole or part by part.
 *
 * @param everywhere whether the parts of words in PascalCase count, in both
 */
function hasPhrase(tokens: readonly Token[], phrase: Phrase, accepts: Accepts, everywhere: boolean): boolean {
  const first = phrase.tokens.filter((token) => token.position === 0);
  const starts = tokens.filter((token) => first.some(({ term }) => accepts(term, token.term)));
  if (starts.length === 0) return false;

  const asked = byPosition(phrase.tokens, everywhere);
  const found = byPosition(tokens, everywhere);

  // Each compound can be read in two ways. Pairs of positions that failed are remembered, or the ways would multiply.
  const failed = new Set<number>();
  const reads = (askedAt: number, foundAt: number): boolean => {
    if (askedAt >= phrase.length) return true;
    const pair = foundAt * phrase.length + askedAt;
    if (failed.has(pair)) return false;
    for (const one of asked.get(askedAt) ?? []) {
      for (const other of found.get(foundAt) ?? []) {
        if (accepts(one.term, other.term) && reads(askedAt + one.span, foundAt + other.span)) return true;
      }
    }
    failed.add(pair);
    return false;
  };

  return starts.some(({ position }) => reads(0, position));
}

function byPosition(tokens: readonly Token[], everywhere: boolean): Map<number, Token[]> {
  const positions = new Map<number, Token[]>();
  for (const token of tokens) if (token.kind !== 'inner' || everywhere) appendTo(positions, token.position, token);
  return positions;
}
