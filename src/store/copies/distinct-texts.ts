import type { DocumentNumber } from '../../core/index.js';
import { appendTo } from '../../core/index.js';
import { areNear, SHORT_TEXT, type SignedDocuments, TEXT_WITHOUT_NAME } from './are-near.js';
import { bandsOf } from './sketch-bands.js';

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
export class DistinctTexts {
  readonly #documents: SignedDocuments;
  /** The texts of each group. */
  readonly #textsOf = new Map<DocumentNumber, DocumentNumber[]>();
  /** The groups of each text that was not taken yet. */
  readonly #groupsOf = new Map<DocumentNumber, DocumentNumber[]>();
  /** By hash of the name. */
  readonly #byName = new Map<number, TextsOfName>();
  /** The texts that are compared under any name, by hash of the text. */
  readonly #byText = new Map<number, DocumentNumber[]>();

  /** @param competing documents in the order of preference */
  constructor(competing: Uint32Array, groupOf: Uint32Array, documents: SignedDocuments) {
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
  readonly #documents: SignedDocuments;
  /** By band; undefined for few texts. */
  readonly #byBand: Map<number, DocumentNumber[]> | undefined;

  /** @param texts in the order of preference */
  constructor(texts: readonly DocumentNumber[], documents: SignedDocuments) {
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
