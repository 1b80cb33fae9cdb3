import type { DocumentNumber } from '../../core/index.js';
import { SCORED_FIELDS } from '../../result.js';
import { GONE, type NameTable, type PackedKeywords } from '../packed-keywords.js';
import { mergePostings } from './merge-postings.js';
import { packDictionary, TermTable, termsOf, unpackStrings } from './pack-dictionary.js';
import { NameCollector, NameSpellings, packTerms } from './pack-names.js';

/** Documents that go into another index. */
export interface KeywordPart {
  readonly keywords: PackedKeywords;
  /** New number of each document: ascending, {@link GONE} for one that is left out. */
  readonly documentOf: Uint32Array;
}

/**
 * Merges indexes: those of several parts of a catalogue, or a former index and one of what has changed. The result
 * equals that of collecting all documents at once, but no text is read again.
 *
 * @param size number of documents; each comes from one part
 */
export function mergeKeywords(size: number, parts: readonly KeywordPart[]): PackedKeywords {
  const terms = new TermTable();
  const added = parts.map((part) => {
    const kept = keptTerms(part);
    return Uint32Array.from(termsOf(part.keywords.dictionary), (text, term) =>
      kept?.[term] === 0 ? GONE : terms.add(text),
    );
  });
  const { dictionary, texts, numberOf } = packDictionary(terms.texts);
  const postings = mergePostings(
    parts.map(({ keywords, documentOf }, i) => ({
      postings: keywords.postings,
      documentOf,
      termOf: added[i]!.map((term) => (term === GONE ? GONE : numberOf[term]!)),
    })),
    numberOf.length,
  );
  return {
    size,
    dictionary,
    postings,
    lengths: mergeLengths(size, parts),
    names: mergeNames('names', parts),
    beginnings: mergeNames('beginnings', parts),
    completions: { ...packTerms(texts, postings), ...mergeSpellings(size, parts) },
    contentHashes: new Uint32Array(),
  };
}

function mergeLengths(size: number, parts: readonly KeywordPart[]): Uint32Array {
  const lengths = new Uint32Array(size * SCORED_FIELDS.length);
  for (const { keywords, documentOf } of parts) {
    for (let field = 0; field < SCORED_FIELDS.length; field++) {
      const [from, to] = [field * keywords.size, field * size];
      for (let former = 0; former < documentOf.length; former++) {
        const document = documentOf[former]!;
        if (document !== GONE) lengths[to + document] = keywords.lengths[from + former]!;
      }
    }
  }
  return lengths;
}

function mergeNames(table: 'names' | 'beginnings', parts: readonly KeywordPart[]): NameTable {
  const merged = new NameCollector();
  for (const { keywords, documentOf } of parts) {
    const { documents, hashes, checks } = keywords[table];
    for (let i = 0; i < documents.length; i++) {
      const document = documentOf[documents[i]!]!;
      if (document !== GONE) merged.addHashes(document, hashes[i]!, checks[i]!);
    }
  }
  return merged.pack();
}

function mergeSpellings(size: number, parts: readonly KeywordPart[]): ReturnType<NameSpellings['pack']> {
  const nameOf = new Array<string>(size);
  for (const { keywords, documentOf } of parts) {
    const names = unpackStrings(keywords.completions.names);
    for (const [former, document] of documentOf.entries()) {
      if (document !== GONE) nameOf[document] = names[keywords.completions.nameOf[former]!]!;
    }
  }
  const merged = new NameSpellings();
  for (const name of nameOf) merged.add(name);
  return merged.pack();
}

/** One byte a term: 0 if all documents that have it are left out. Undefined if no document is left out. */
function keptTerms({ keywords, documentOf }: KeywordPart): Uint8Array | undefined {
  if (!documentOf.includes(GONE)) return undefined;
  const { listStarts, entryStarts, documents } = keywords.postings;
  const kept = new Uint8Array(listStarts.length - 1);
  for (let term = 0; term < kept.length; term++) {
    const end = entryStarts[listStarts[term + 1]!]!;
    for (let entry = entryStarts[listStarts[term]!]!; entry < end; entry++) {
      if (documentOf[documents[entry]!] === GONE) continue;
      kept[term] = 1;
      break;
    }
  }
  return kept;
}

/**
 * Finds the documents of a former state that have not changed. Documents are sorted in the same way in both states, so
 * nearly always the unchanged ones are in the same order. One that is not counts as changed.
 *
 * @param former a hash of the content of each document of the former state: two 32-bit numbers
 * @param present the same of the present state
 * @returns the present number of each former document, ascending; {@link GONE} if it is gone or changed
 */
export function unchangedDocuments(former: Uint32Array, present: Uint32Array): Uint32Array {
  const documentOf = new Uint32Array(former.length / 2).fill(GONE);
  // By 53 bits of the hash, which a number can hold.
  const keyIn = (hashes: Uint32Array, document: DocumentNumber): number =>
    hashes[2 * document]! * 2 ** 21 + (hashes[2 * document + 1]! & 0x1fffff);
  const known = new Map<number, DocumentNumber>();
  for (let document = documentOf.length - 1; document >= 0; document--) known.set(keyIn(former, document), document);
  let last = -1;
  for (let document = 0; 2 * document < present.length; document++) {
    const before = known.get(keyIn(present, document)) ?? -1;
    if (before <= last || former[2 * before + 1] !== present[2 * document + 1]) continue;
    documentOf[before] = document;
    last = before;
  }
  return documentOf;
}
