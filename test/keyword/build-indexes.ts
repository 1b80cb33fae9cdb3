import {
  collectKeywords,
  type DocumentSource,
  GONE,
  type KeywordDocument,
  type KeywordIndex,
  PackedIndex,
  type Segment,
} from '../../src/keyword/index.js';
import { MemoryIndex } from '../../src/keyword/memory-index.js';
import { sourceOf } from './arbitrary-catalogue.js';

/** Where each document of a catalogue goes, and what is gone around it. */
export interface Split {
  /** Number of segments, at least 1. */
  readonly count: number;
  /** By document: the segment it is in. Begins again from the end, and past the last segment. */
  readonly owners: readonly number[];
  /** By document: a document that was before it in the segment and is gone; undefined if there was none. */
  readonly gone: readonly (KeywordDocument | undefined)[];
}

interface Part {
  readonly documents: KeywordDocument[];
  readonly numbers: number[];
}

function partsOf(documents: readonly KeywordDocument[], { count, owners, gone }: Split): Part[] {
  const parts = Array.from({ length: count }, (): Part => ({ documents: [], numbers: [] }));
  const put = (part: Part, document: KeywordDocument | undefined, number: number): void => {
    if (document === undefined) return;
    part.documents.push(document);
    part.numbers.push(number);
  };
  for (const [number, document] of documents.entries()) {
    const part = parts[(owners[number % owners.length] ?? 0) % count]!;
    put(part, gone[number % gone.length], GONE);
    put(part, document, number);
  }
  // The last of a segment may be gone, too, and all of them.
  const last = gone.findLast((one) => one !== undefined);
  put(parts[0]!, last, GONE);
  return parts;
}

/** Splits a catalogue into segments. Each also has some documents that are gone. */
export function splitIntoSegments(documents: readonly KeywordDocument[], split: Split): Segment[] {
  return partsOf(documents, split).map((part) => ({
    keywords: collectKeywords(sourceOf(part.documents)),
    numbers: Uint32Array.from(part.numbers),
  }));
}

export function segmented(documents: readonly KeywordDocument[], split: Split): KeywordIndex {
  return new PackedIndex(splitIntoSegments(documents, split), sourceOf(documents));
}

export function packed(documents: readonly KeywordDocument[]): PackedIndex {
  return new PackedIndex([{ keywords: collectKeywords(sourceOf(documents)) }], sourceOf(documents));
}

/** An index in memory of the documents of the first segment, from which some go, and to which all others come. */
async function changed(documents: readonly KeywordDocument[], split: Split): Promise<KeywordIndex> {
  const [first, ...others] = partsOf(documents, split);
  const index = await MemoryIndex.build(sourceOf(first!.documents));
  const came = Uint32Array.from(others.flatMap(({ numbers }) => numbers.filter((number) => number !== GONE))).sort();
  index.change(sourceOf(documents), { numbers: Uint32Array.from(first!.numbers), came });
  return index.current;
}

/** A split that is another for each catalogue, and the same each time: the contract knows of no segments. */
function splitOf(documents: readonly KeywordDocument[]): Split {
  const seed = JSON.stringify(documents).length;
  const numbers = Array.from({ length: 13 }, (_, i) => (seed * (i + 3) * 7919) % 31);
  const gone = numbers.map((n, i) => {
    const one = documents[n % documents.length];
    if (n % 3 === 0 || one === undefined) return undefined;
    const description = `${one.name} ${one.description} kubernetes tset testings 数据 ${'deploy '.repeat(i)}`;
    return n % 3 === 1 ? one : { ...one, name: `${one.name} react`, description };
  });
  return { count: 1 + (seed % 5), owners: numbers, gone };
}

/** Builds each kind of index: one segment, one to five of them, and in memory, where documents went and came. */
export const INDEXES: readonly [name: string, build: (documents: DocumentSource) => Promise<KeywordIndex>][] = [
  ['an index of one segment', async (documents) => packed([...documents.all()])],
  ['an index of several segments', async (documents) => segmented([...documents.all()], splitOf([...documents.all()]))],
  ['an index in memory', async (documents) => changed([...documents.all()], splitOf([...documents.all()]))],
];

export function documentOf(fields: Partial<KeywordDocument>): KeywordDocument {
  return { name: 'skill', author: 'somebody', labels: [], description: '', files: [], ...fields };
}
