import { appendTo, type DocumentNumber } from '../../core/index.js';
import { differingValues, SKETCH_BYTES, unpackSignature } from './text-signature.js';

/**
 * Joins groups of copies that have nearly the same text.
 *
 * In the order of preference, each group that has no leader yet becomes the leader of all groups near it that have
 * none. So the document that is shown is near every document it stands for; a chain of copies of copies could end at
 * a different text. The result depends on the documents alone, not on their order.
 *
 * The work grows with the number of documents, not with its square. The price: among more than a hundred texts of one
 * name that have a band in common and are not near, less preferred copies may be missed.
 *
 * @param groupOf group of each document, named by one of its documents
 * @param preference the first document of a group in this order is shown; must be total
 */
export function joinNearCopies(
  groupOf: Uint32Array,
  preference: (a: DocumentNumber, b: DocumentNumber) => number,
  documents: ComparedDocuments,
): Uint32Array {
  const related = relatedGroups(groupOf, documents);
  const competing = Uint32Array.from(groupOf.keys())
    .filter((document) => related[groupOf[document]!] === 1)
    .sort(preference);
  const texts = new DistinctTexts(competing, groupOf, documents);
  const leaderOf = Int32Array.from(groupOf.keys(), (document) => (related[document] === 1 ? NONE : document));
  for (const document of competing) {
    const leader = groupOf[document]!;
    if (leaderOf[leader] !== NONE) continue;
    leaderOf[leader] = leader;
    texts.takeNear(leader, (group) => {
      if (leaderOf[group] === NONE) leaderOf[group] = leader;
    });
  }
  return groupOf.map((group) => leaderOf[group]!);
}

/** Marks a group without a leader. */
const NONE = -1;

/** Marks a name or text of more than one group. */
const SEVERAL = -2;

/** One byte per group: 1 if a document of another group has the name or the text of one of its documents. */
function relatedGroups(groupOf: Uint32Array, { names, texts, words }: ComparedDocuments): Uint8Array {
  const related = new Uint8Array(groupOf.length);
  for (const keys of [names, texts]) {
    const groups = new Map<number, DocumentNumber>();
    for (const [document, group] of groupOf.entries()) {
      if (words[document]! < SHORT_TEXT) continue;
      const key = keys[document]!;
      const other = groups.get(key);
      if (other === undefined) groups.set(key, group);
      else if (other !== group) {
        related[group] = 1;
        if (other === SEVERAL) continue;
        related[other] = 1;
        groups.set(key, SEVERAL);
      }
    }
  }
  return related;
}

/** Up to this many texts of one name, each is compared with each: making the bands takes longer. */
const FEW_TEXTS = 32;

/**
 * Comparing a text with one list of candidates ends after this many that were not near. Thousands of texts may come
 * from one template: their sketches have a band in common, but little else. Texts that are near have several bands in
 * common, and most of these bands are in few other sketches, so the lists of those bands are short.
 */
const MOST_FAILURES = 100;

/**
 * The different texts of documents, to find those that are near. Each text is named by the first document that has it,
 * and belongs to the groups of all documents that have it.
 */
class DistinctTexts {
  readonly #documents: ComparedDocuments;
  /** The texts of each group. */
  readonly #textsOf = new Map<DocumentNumber, DocumentNumber[]>();
  /** The groups of each text that was not taken yet. */
  readonly #groupsOf = new Map<DocumentNumber, DocumentNumber[]>();
  /** By hash of the name. */
  readonly #byName = new Map<number, TextsOfName>();
  /** The texts that are compared under any name, by hash of the text. */
  readonly #byText = new Map<number, DocumentNumber[]>();

  /** @param competing documents in the order of preference */
  constructor(competing: Uint32Array, groupOf: Uint32Array, documents: ComparedDocuments) {
    this.#documents = documents;
    const { names, texts, words } = documents;
    const textsByName = new Map<number, DocumentNumber[]>();
    const textByHashes = new Map<string, DocumentNumber>();
    for (const document of competing) {
      if (words[document]! < SHORT_TEXT) continue;
      const [name, hash, group] = [names[document]!, texts[document]!, groupOf[document]!];
      const key = `${name} ${hash}`;
      let text = textByHashes.get(key);
      if (text === undefined) {
        text = document;
        textByHashes.set(key, text);
        appendTo(textsByName, name, text);
        if (words[text]! >= TEXT_WITHOUT_NAME) appendTo(this.#byText, hash, text);
      }
      appendTo(this.#textsOf, group, text);
      appendTo(this.#groupsOf, text, group);
    }
    for (const [name, list] of textsByName) this.#byName.set(name, new TextsOfName(list, documents));
  }

  /**
   * Takes all texts that are near a text of a group: later calls do not find them any more.
   *
   * @param visit called with the groups of these texts, the given group included
   */
  takeNear(group: DocumentNumber, visit: (group: DocumentNumber) => void): void {
    for (const text of this.#textsOf.get(group) ?? []) {
      this.#take(text, visit);
      for (const list of this.#byName.get(this.#documents.names[text]!)?.candidatesFor(text) ?? []) {
        this.#takeFrom(list, text, visit);
      }
      this.#takeFrom(this.#byText.get(this.#documents.texts[text]!) ?? [], text, visit);
    }
  }

  /** @param candidates the preferred ones last; those that are taken, now or before, are removed */
  #takeFrom(candidates: DocumentNumber[], text: DocumentNumber, visit: (group: DocumentNumber) => void): void {
    const failed: DocumentNumber[] = [];
    while (failed.length < MOST_FAILURES) {
      const other = candidates.pop();
      if (other === undefined) break;
      if (!this.#groupsOf.has(other)) continue;
      if (areNear(this.#documents, text, other)) this.#take(other, visit);
      else failed.push(other);
    }
    for (let i = failed.length - 1; i >= 0; i--) candidates.push(failed[i]!);
  }

  #take(text: DocumentNumber, visit: (group: DocumentNumber) => void): void {
    for (const group of this.#groupsOf.get(text) ?? []) visit(group);
    this.#groupsOf.delete(text);
  }
}

/** The texts of one name. */
class TextsOfName {
  readonly #texts: DocumentNumber[];
  readonly #documents: ComparedDocuments;
  /** By band; undefined for few texts. */
  readonly #byBand: Map<number, DocumentNumber[]> | undefined;

  /** @param texts in the order of preference */
  constructor(texts: readonly DocumentNumber[], documents: ComparedDocuments) {
    this.#texts = texts.toReversed();
    this.#documents = documents;
    if (texts.length <= FEW_TEXTS) return;
    this.#byBand = new Map();
    for (const text of this.#texts) for (const band of bandsOf(documents, text)) appendTo(this.#byBand, band, text);
  }

  /** Lists of texts that may be near a text, the preferred ones last. The caller may remove texts from the lists. */
  candidatesFor(text: DocumentNumber): DocumentNumber[][] {
    const byBand = this.#byBand;
    if (byBand === undefined) return [this.#texts];
    return bandsOf(this.#documents, text).flatMap((band) => {
      const list = byBand.get(band);
      return list === undefined ? [] : [list];
    });
  }
}

/**
 * Two sketches of nearly the same text differ in at most this many of 128 values: an estimated Jaccard similarity of
 * 0.85.
 */
const MOST_DIFFERING = 19;

/** Words from which texts are compared by their sketches: in shorter ones a single word may change the meaning. */
const LONG_TEXT = 64;

/**
 * Words from which texts are compared at all: a few equal words under the same name may differ in punctuation that
 * matters.
 */
export const SHORT_TEXT = 16;

/**
 * Words from which equal texts are copies under any name. A shorter text may be the description of a whole
 * collection.
 */
const TEXT_WITHOUT_NAME = 100;

/** The signatures of all documents, by document number. */
export class SignedDocuments {
  /** Hash of the name. */
  readonly names: Uint32Array;
  /** Hash of the text. */
  readonly texts: Float64Array;
  /** Number of words in the text; negative for a document without a signature. */
  readonly words: Float64Array;
  /** The sketches, one after the other, see `TextSignature`. */
  readonly sketches: Uint8Array;

  constructor(size: number) {
    this.names = new Uint32Array(size);
    this.texts = new Float64Array(size);
    this.words = new Float64Array(size).fill(-1);
    this.sketches = new Uint8Array(size * SKETCH_BYTES);
  }

  /** @param signature as it is stored */
  set(document: DocumentNumber, signature: Buffer): void {
    const { name, text, words, sketch } = unpackSignature(signature);
    this.names[document] = name;
    this.texts[document] = text;
    this.words[document] = words;
    this.sketches.set(sketch, document * SKETCH_BYTES);
  }
}

/** What is compared of documents, by document number. */
export type ComparedDocuments = Omit<SignedDocuments, 'set'>;

/** Whether two documents have nearly the same text. */
export function areNear(documents: ComparedDocuments, a: DocumentNumber, b: DocumentNumber): boolean {
  const { names, texts, words, sketches } = documents;
  const fewer = Math.min(words[a]!, words[b]!);
  const sameName = names[a] === names[b];
  if (fewer < SHORT_TEXT) return false;
  if (texts[a] === texts[b]) return sameName || fewer >= TEXT_WITHOUT_NAME;
  // Under different names the small difference may be what matters: texts about different products from one template.
  if (!sameName || fewer < LONG_TEXT) return false;
  return differingValues(sketches, a, b, MOST_DIFFERING) <= MOST_DIFFERING;
}

/**
 * A sketch is divided into bands. Near sketches differ in fewer values than there are bands, so at least one band is
 * equal: comparing texts with an equal band misses nothing.
 */
const BANDS = MOST_DIFFERING + 1;
const BAND_BYTES = Math.floor(SKETCH_BYTES / BANDS);

/** The bands of a document's sketch, each as one number: the index of the band, then its six bytes. */
function bandsOf({ sketches }: ComparedDocuments, document: DocumentNumber): number[] {
  const view = new DataView(sketches.buffer, sketches.byteOffset + document * SKETCH_BYTES, SKETCH_BYTES);
  return Array.from({ length: BANDS }, (_, band) => {
    const at = band * BAND_BYTES;
    return band * 2 ** 48 + view.getUint32(at) * 2 ** 16 + view.getUint16(at + 4);
  });
}
