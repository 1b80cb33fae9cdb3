import { appendTo as append } from '../arrays/group-by-key.js';
import { differingValues, SKETCH_BYTES } from './text-signature.js';

/**
 * Of 128 values of two sketches so many differ at most in nearly the same text: an estimated Jaccard similarity of 0.85.
 */
const MOST_DIFFERING = 19;

/** Words from which texts are compared by their sketches: of shorter ones a word more or less is another meaning. */
const LONG_TEXT = 64;

/** Words from which a text is compared at all: the same few words under the same name may mean two things by their marks. */
const SHORT_TEXT = 16;

/** Words from which the same text is a copy under whatever name. Shorter, it may be the description of a whole collection. */
const TEXT_WITHOUT_NAME = 100;

/**
 * If two sketches differ in fewer values than there are bands, they agree in all of some band: looking up bands
 * misses nothing.
 */
const BANDS = MOST_DIFFERING + 1;
const BAND_BYTES = Math.floor(SKETCH_BYTES / BANDS);

/** Texts of one name up to which each is compared with each: bands take longer to make. */
const FEW = 32;

/**
 * Of the texts that agree with one in a band, so many that are not near it are compared with it. Thousands may agree that
 * have one template, and differ in all else: what is near has other bands in common with it, of which few agree in each.
 */
const MOST_UNLIKE = 100;

/** The signatures of documents, by document number. */
export interface SignedDocuments {
  /** Hash of the name. */
  readonly names: Uint32Array;
  /** Hash of the text. */
  readonly texts: Float64Array;
  /** Words of the text; negative where a document has no signature. */
  readonly words: Float64Array;
  /** {@link SKETCH_BYTES} of each. */
  readonly sketches: Uint8Array;
}

/** Whether two documents have nearly the same text. */
export function areNear(documents: SignedDocuments, a: number, b: number): boolean {
  const { names, texts, words, sketches } = documents;
  const fewer = Math.min(words[a]!, words[b]!);
  const sameName = names[a] === names[b];
  if (fewer < SHORT_TEXT) return false;
  if (texts[a] === texts[b]) return sameName || fewer >= TEXT_WITHOUT_NAME;
  // Under other names, what little the texts differ in may be all that counts: one product of many, from one template.
  if (!sameName || fewer < LONG_TEXT) return false;
  return differingValues(sketches, a, b, MOST_DIFFERING) <= MOST_DIFFERING;
}

/**
 * Puts groups of copies together where they have nearly the same text.
 *
 * In the order of preference each group takes those that are near it and not taken yet: whoever is shown is near all it
 * stands for, where a chain of copies of copies would end at something else. So the outcome follows
 * from the documents alone. Work grows with their number, not with its square: among more than a hundred
 * texts of one name that agree in a band and are not near, what is not preferred may be missed.
 *
 * @param groupOf group of each document, named by one of its documents
 * @param preference which document of a group is shown: the first in this order, which must be total
 */
export function joinNearCopies(
  groupOf: Uint32Array,
  preference: (a: number, b: number) => number,
  documents: SignedDocuments,
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
    texts.visitNear(leader, (group) => {
      if (leaderOf[group] === NONE) leaderOf[group] = leader;
    });
  }
  return groupOf.map((group) => leaderOf[group]!);
}

/** Stands for no group. */
const NONE = -1;

/** Stands for more than one group. */
const SEVERAL = -2;

/** One byte a group: 1 where a document of another group has a name or a text of this one. */
function relatedGroups(groupOf: Uint32Array, { names, texts, words }: SignedDocuments): Uint8Array {
  const related = new Uint8Array(groupOf.length);
  for (const keys of [names, texts]) {
    const groups = new Map<number, number>();
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

/** Texts that differ by name or words, each with a document that stands for it and the groups that have it. */
class DistinctTexts {
  readonly #documents: SignedDocuments;
  readonly #textsOf = new Map<number, number[]>();
  /** By text, until they are taken. */
  readonly #groupsOf = new Map<number, number[]>();
  readonly #byName = new Map<number, Candidates>();
  readonly #byText = new Map<number, number[]>();

  /** @param competing in the order of preference */
  constructor(competing: Uint32Array, groupOf: Uint32Array, documents: SignedDocuments) {
    this.#documents = documents;
    const { names, texts, words } = documents;
    const textsByName = new Map<number, number[]>();
    const textByWords = new Map<string, number>();
    for (const document of competing) {
      if (words[document]! < SHORT_TEXT) continue;
      const [name, hash, group] = [names[document]!, texts[document]!, groupOf[document]!];
      const key = `${name} ${hash}`;
      let text = textByWords.get(key);
      if (text === undefined) {
        text = document;
        textByWords.set(key, text);
        append(textsByName, name, text);
        if (words[text]! >= TEXT_WITHOUT_NAME) append(this.#byText, hash, text);
      }
      append(this.#textsOf, group, text);
      append(this.#groupsOf, text, group);
    }
    for (const [name, list] of textsByName) this.#byName.set(name, new Candidates(list, documents));
  }

  /** Groups that have a text near one of a group's, and were not visited before; the group itself may be among them. */
  visitNear(group: number, visit: (group: number) => void): void {
    for (const text of this.#textsOf.get(group) ?? []) {
      this.#take(text, visit);
      for (const list of this.#byName.get(this.#documents.names[text]!)?.of(text) ?? [])
        this.#takeNear(text, list, visit);
      this.#takeNear(text, this.#byText.get(this.#documents.texts[text]!) ?? [], visit);
    }
  }

  /** @param candidates of which those that are taken are dropped */
  #takeNear(text: number, candidates: number[], visit: (group: number) => void): void {
    const unlike: number[] = [];
    while (unlike.length < MOST_UNLIKE) {
      const other = candidates.pop();
      if (other === undefined) break;
      if (!this.#groupsOf.has(other)) continue;
      if (areNear(this.#documents, text, other)) this.#take(other, visit);
      else unlike.push(other);
    }
    for (let i = unlike.length - 1; i >= 0; i--) candidates.push(unlike[i]!);
  }

  #take(text: number, visit: (group: number) => void): void {
    for (const group of this.#groupsOf.get(text) ?? []) visit(group);
    // All that have this text belong to some leader now.
    this.#groupsOf.delete(text);
  }
}

/** Texts of one name, looked up by what they may be near to. */
class Candidates {
  readonly #texts: number[];
  readonly #documents: SignedDocuments;
  /** By band and what is in it; undefined where there are few texts. */
  readonly #buckets: Map<number, number[]> | undefined;

  /** @param texts in the order of preference */
  constructor(texts: readonly number[], documents: SignedDocuments) {
    this.#texts = texts.toReversed();
    this.#documents = documents;
    if (texts.length <= FEW) return;
    this.#buckets = new Map();
    for (const text of this.#texts) for (const key of bandsOf(documents, text)) append(this.#buckets, key, text);
  }

  /** Lists of texts, what is preferred last: the caller may drop from them what is not to be found again. */
  of(text: number): number[][] {
    const buckets = this.#buckets;
    if (buckets === undefined) return [this.#texts];
    return bandsOf(this.#documents, text).flatMap((key) => {
      const bucket = buckets.get(key);
      return bucket === undefined ? [] : [bucket];
    });
  }
}

/** The bands of a sketch, each as a number: which band it is, and its six bytes. */
function bandsOf({ sketches }: SignedDocuments, text: number): number[] {
  const view = new DataView(sketches.buffer, sketches.byteOffset + text * SKETCH_BYTES, SKETCH_BYTES);
  return Array.from({ length: BANDS }, (_, band) => {
    const at = band * BAND_BYTES;
    return band * 2 ** 48 + view.getUint32(at) * 2 ** 16 + view.getUint16(at + 4);
  });
}
