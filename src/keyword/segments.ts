import {
  ALL_IN_MEMORY,
  DamagedArrayFileError,
  type DocumentNumber,
  type FileRules,
  type Pager,
  type StatedSizes,
  type TermNumber,
} from '../core/index.js';
import { SCORED_FIELDS } from '../result.js';
import { FIELDS, FILES } from './keyword-index.js';
import { listsOf } from './keyword-source.js';
import { BLOCK, GONE, type PackedKeywords, type PackedPostings } from './packed-keywords.js';
import { type ListEntries, needFrequencies, needPositions, PostingList, storedList } from './posting-list.js';
import { LETTER_GROUP_COUNT, TermDictionary } from './term-dictionary.js';

/** Some of the documents of a catalogue, packed by themselves: all of them after a load, or what came later. */
export interface Segment {
  readonly keywords: PackedKeywords;
  /** Reads the parts of {@link keywords} that are needed. @default ALL_IN_MEMORY */
  readonly pager?: Pager;
  /**
   * For each document of the segment its number in the catalogue: ascending, {@link GONE} for one that is gone. Left out
   * for a segment that has all documents by their numbers.
   */
  readonly numbers?: Uint32Array | undefined;
}

/** The numbers may come from a file: whoever made it, they are indexes into arrays of the catalogue. */
export function checkNumbers(segments: readonly Segment[], size: number): void {
  const [only] = segments;
  if (segments.length === 1 && only!.numbers === undefined && only!.keywords.size === size) return;
  const isTaken = new Uint8Array(size);
  let count = 0;
  for (const { keywords, numbers } of segments) {
    let least = 0;
    let wrong = numbers?.length === keywords.size ? 0 : 1;
    for (const number of numbers ?? []) {
      if (number === GONE) continue;
      if (number < least || number >= size || isTaken[number] === 1) wrong += 1;
      isTaken[number] = 1;
      least = number + 1;
      count += 1;
    }
    if (wrong > 0) throw new DamagedArrayFileError('a segment has impossible numbers of documents');
  }
  if (count !== size) throw new DamagedArrayFileError(`the segments have ${count} of ${size} documents`);
}

/**
 * A segment that is open. Its terms are numbered behind those of the segments before it.
 *
 * Lists have the numbers of the catalogue, and no documents that are gone. A segment that has other numbers than the
 * catalogue maps each list when it is first asked for, and keeps it: in arrays as large as those of the segment, of which
 * the system allocates a page when something is written there.
 */
export class OpenSegment {
  readonly keywords: PackedKeywords;
  readonly pager: Pager;
  readonly numbers: Uint32Array | undefined;
  /** Number of its first term among those of all segments. */
  readonly firstTerm: TermNumber;
  /** Behind the number of its last term. */
  readonly behindTerm: TermNumber;
  /** Its terms, by their numbers in the segment. */
  readonly dictionary: TermDictionary;
  /** Whether no document of the segment is gone. */
  readonly hasAll: boolean;
  readonly #postings: PackedPostings;
  readonly #entries: ListEntries<PackedPostings>;
  /** By list of a segment with other numbers: what is left of it, plus 1; 0 before it is mapped. */
  readonly #sizes: Uint32Array | undefined;
  /** By the first entry of a list: see the constructor of `PostingList`. */
  readonly #leftOut = new Map<number, Uint32Array>();

  #nameCounts: Uint32Array | undefined;

  constructor({ keywords, pager = ALL_IN_MEMORY, numbers }: Segment, firstTerm: TermNumber) {
    const { postings } = keywords;
    const { documents, frequencies } = postings;
    this.keywords = keywords;
    this.pager = pager;
    this.numbers = numbers;
    this.firstTerm = firstTerm;
    this.dictionary = new TermDictionary(keywords.dictionary, pager);
    this.behindTerm = firstTerm + this.dictionary.size;
    this.hasAll = numbers?.includes(GONE) !== true;
    this.#postings = postings;
    this.#entries = {
      documents: numbers === undefined ? documents : new Uint32Array(documents.length),
      frequencies: this.hasAll ? frequencies : new Uint8Array(frequencies.length),
      stored: postings,
    };
    this.#sizes = numbers === undefined ? undefined : new Uint32Array(postings.listFields.length);
  }

  /** The number of a document in the catalogue, or {@link GONE}. */
  numberOf(document: DocumentNumber): number {
    return this.numbers === undefined ? document : this.numbers[document]!;
  }

  /** See {@link KeywordSource.addLists}; terms of other segments are passed over. */
  addLists(terms: readonly TermNumber[], lastField: number, lists: PostingList[], termOf: TermNumber[] = []): void {
    this.#needAll(terms, lastField);
    for (let t = 0; t < terms.length; t++) {
      const term = terms[t]!;
      if (!this.#has(term)) continue;
      const first = lists.length;
      this.#addListsOf(term - this.firstTerm, lastField, lists);
      for (let l = first; l < lists.length; l++) termOf.push(term);
    }
  }

  /** By number of a name, the documents that are left and have it. */
  countNames(): Uint32Array {
    if (this.#nameCounts === undefined) {
      const { names, nameOf } = this.keywords.completions;
      this.pager.need(nameOf);
      this.#nameCounts = new Uint32Array(names.starts.length - 1);
      for (let i = 0; i < nameOf.length; i++) if (this.numberOf(i) !== GONE) this.#nameCounts[nameOf[i]!]! += 1;
    }
    return this.#nameCounts;
  }

  /** Whether any document that is left has a term of the segment. */
  hasDocument(term: TermNumber): boolean {
    return this.hasAll || listsOf(this, [this.firstTerm + term]).length > 0;
  }

  /** @param lists all of this segment */
  needFrequencies(lists: readonly PostingList[]): void {
    for (const [from, to] of rangesOf(lists)) needFrequencies(this.#postings, from, to, this.pager);
  }

  /** @param lists all of this segment */
  needPositions(lists: readonly PostingList[]): void {
    for (const [from, to] of rangesOf(lists)) needPositions(this.#postings, from, to, this.pager);
  }

  #has(term: TermNumber): boolean {
    return term >= this.firstTerm && term < this.behindTerm;
  }

  #addListsOf(term: TermNumber, lastField: number, lists: PostingList[]): void {
    const { listStarts, listFields, entryStarts, documents } = this.#postings;
    const from = listStarts[term]!;
    const end = listStarts[term + 1]!;
    let to = from;
    while (to < end && listFields[to]! <= lastField) to += 1;
    if (lastField !== FILES) this.pager.need(documents, entryStarts[from]!, entryStarts[to]!);
    for (let list = from; list < to; list++) {
      const made = this.#sizes === undefined ? storedList(this.#entries, list) : this.#mappedList(list, this.#sizes);
      if (made.size > 0) lists.push(made);
    }
  }

  /** Reads what the lists of some terms need, for runs of neighbouring terms at once. */
  #needAll(terms: readonly TermNumber[], lastField: number): void {
    for (let t = 0; t < terms.length; ) {
      const from = terms[t++]!;
      if (!this.#has(from)) continue;
      let to = from + 1;
      for (; t < terms.length && terms[t] === to && to < this.behindTerm; t++) to += 1;
      this.#need(from - this.firstTerm, to - this.firstTerm, lastField);
    }
  }

  /** Reads bounds and fields of the lists of the terms between two numbers, and their documents if all fields count. */
  #need(from: TermNumber, to: TermNumber, lastField: number): void {
    const { listStarts, listFields, entryStarts, documents } = this.#postings;
    this.pager.need(listStarts, from, to + 1);
    const [first, behind] = [listStarts[from]!, listStarts[to]!];
    this.pager.need(listFields, first, behind);
    this.pager.need(entryStarts, first, behind + 1);
    if (lastField === FILES) this.pager.need(documents, entryStarts[first]!, entryStarts[behind]!);
  }

  /** A list with the numbers of the catalogue; empty if all of its documents are gone. */
  #mappedList(list: number, sizes: Uint32Array): PostingList {
    const { entryStarts, listFields } = this.#postings;
    const from = entryStarts[list]!;
    if (sizes[list] === 0) sizes[list] = this.#map(from, entryStarts[list + 1]!, this.numbers!) + 1;
    return new PostingList(this.#entries, from, from + sizes[list]! - 1, listFields[list]!, this.#leftOut.get(from));
  }

  /** Moves what is left of a list to where it began. @returns the number of documents */
  #map(from: number, to: number, numbers: Uint32Array): number {
    const { documents, frequencies, stored } = this.#entries;
    if (!this.hasAll) needFrequencies(stored, from, to, this.pager);
    const leftOut: number[] = [];
    let next = from;
    for (let entry = from; entry < to; entry++) {
      const document = numbers[stored.documents[entry]!]!;
      if (document === GONE) leftOut.push(next);
      else {
        frequencies[next] = stored.frequencies[entry]!;
        documents[next++] = document;
      }
    }
    if (leftOut.length > 0) this.#leftOut.set(from, Uint32Array.from(leftOut));
    return next - from;
  }
}

/** The stored entries of some lists, as ranges. The lists of a beginning are neighbours, so they are one range. */
function rangesOf(lists: readonly PostingList[]): (readonly [from: number, to: number])[] {
  const ranges: (readonly [from: number, to: number])[] = [];
  for (let i = 0; i < lists.length; ) {
    const { from } = lists[i]!;
    let to = lists[i]!.storedTo;
    for (i += 1; i < lists.length && lists[i]!.from === to; i++) to = lists[i]!.storedTo;
    ranges.push([from, to]);
  }
  return ranges;
}

/**
 * What the arrays of a `PackedKeywords` in a file must keep to: every value that is an index lies inside what it points
 * into. An index over such arrays reads nothing outside them and ends, whoever made the file.
 *
 * The order of strings, and of documents within a list, is not checked: without it, less is found.
 *
 * @param prefix path of the keywords in the file, with a dot behind it
 */
export function packedRules(prefix: string, { lengthOf, numberOf }: StatedSizes): FileRules {
  const at = (path: string): number => lengthOf(prefix + path);
  const size = numberOf(`${prefix}size`);
  const terms = at('dictionary.forms.starts') - 1;
  const lists = at('postings.listFields');
  const entries = at('postings.documents');
  const positionBytes = at('postings.positions');
  const longest = Math.floor(at('dictionary.groupStarts') / LETTER_GROUP_COUNT);
  const fields = SCORED_FIELDS.length;
  const uint32 = { type: 'Uint32Array' } as const;
  const uint8 = { type: 'Uint8Array' } as const;
  const arrays: FileRules['arrays'] = {
    ...stringTable('dictionary.forms', at),
    ...stringTable('dictionary.accented', at),
    'dictionary.accentedNumbers': { ...uint32, length: at('dictionary.accented.starts') - 1, below: terms },
    ...stringTable('dictionary.stems', at),
    'dictionary.stemStarts': {
      ...uint32,
      length: at('dictionary.stems.starts'),
      risesTo: at('dictionary.stemTerms'),
    },
    'dictionary.stemTerms': { ...uint32, below: terms },
    'dictionary.byGroup': { ...uint32, below: terms },
    'dictionary.letters': { ...uint32, length: at('dictionary.byGroup') },
    'dictionary.groupStarts': {
      ...uint32,
      length: longest * LETTER_GROUP_COUNT + 1,
      risesTo: at('dictionary.byGroup'),
    },
    'postings.listStarts': { ...uint32, length: terms + 1, risesTo: lists },
    'postings.listFields': { ...uint8, below: FIELDS.length },
    'postings.entryStarts': { ...uint32, length: lists + 1, risesTo: entries },
    'postings.documents': { ...uint32, below: size },
    'postings.frequencies': { ...uint8, length: entries },
    'postings.manyEntries': { ...uint32, below: entries },
    // Each occurrence takes a byte or more.
    'postings.manyFrequencies': { ...uint32, length: at('postings.manyEntries'), below: positionBytes + 1 },
    'postings.positions': uint8,
    'postings.blockStarts': { ...uint32, length: Math.ceil(entries / BLOCK), below: positionBytes + 1 },
    // The description counts the terms of two fields.
    lengths: { ...uint32, length: size * fields, below: 2 * terms + 1 },
    ...nameTable('names', at, size),
    ...nameTable('beginnings', at, size),
    ...stringTable('completions.names', at),
    'completions.terms': { ...uint32, below: terms },
    'completions.termCounts': { ...uint32, length: at('completions.terms'), below: size + 1 },
    'completions.nameCounts': { ...uint32, length: at('completions.names.starts') - 1, below: size + 1 },
    'completions.nameOf': { ...uint32, length: size, below: at('completions.nameCounts') },
    contentHashes: { ...uint32, length: at('contentHashes') === 0 ? 0 : 2 * size },
  };
  const entriesOf = Object.entries(arrays).map(([path, rule]) => [prefix + path, rule] as const);
  return { arrays: Object.fromEntries(entriesOf), numbers: [`${prefix}size`] };
}

function stringTable(path: string, lengthOf: (path: string) => number): FileRules['arrays'] {
  return {
    [`${path}.bytes`]: { type: 'Uint8Array' },
    [`${path}.starts`]: { type: 'Uint32Array', risesTo: lengthOf(`${path}.bytes`) },
  };
}

function nameTable(path: string, lengthOf: (path: string) => number, size: number): FileRules['arrays'] {
  const length = lengthOf(`${path}.hashes`);
  return {
    [`${path}.hashes`]: { type: 'Uint32Array' },
    [`${path}.documents`]: { type: 'Uint32Array', length, below: size },
    [`${path}.checks`]: { type: 'Uint32Array', length },
  };
}
