import type { DocumentNumber } from '../core/index.js';
import { isDamage } from '../core/index.js';
import type { DocumentSource, KeywordDocument } from '../keyword/index.js';
import type { Skill } from '../skill.js';
import type { CatalogueReader } from '../store/index.js';
import { unpacked } from '../store/index.js';

/** What is indexed of a skill that is damaged: nothing. */
export const DAMAGED_DOCUMENT: KeywordDocument = { name: '', author: '', labels: [], description: '', files: [] };

/**
 * The skills of a catalogue as documents of keyword search. A damaged skill is an empty document, and the reader is
 * told.
 */
export function documentsOf(reader: CatalogueReader): DocumentSource {
  const { size } = reader.columns;
  const unlessDamaged = <T>(document: DocumentNumber, read: () => T, damaged: T): T => {
    try {
      return read();
    } catch (error) {
      if (!isDamage(error)) throw error;
      reader.noteDamaged([document]);
      return damaged;
    }
  };
  const read = (document: DocumentNumber): KeywordDocument =>
    unlessDamaged(
      document,
      () => toDocument(reader.skill(document), unpacked(reader.texts(document))),
      DAMAGED_DOCUMENT,
    );
  return {
    size,
    read,
    nameOf: (document) => unlessDamaged(document, () => reader.nameOf(document), DAMAGED_DOCUMENT.name),
    *all() {
      for (let document = 0; document < size; document++) yield read(document);
    },
  };
}

/** A skill and its files as a document of keyword search. */
export function toDocument(skill: Skill, files: KeywordDocument['files']): KeywordDocument {
  const [name, author, description] = uncut([skill.name, skill.author, skill.description] as const);
  return { name, author, labels: [...skill.categories, ...skill.occupations, ...skill.tags], description, files };
}

/**
 * Copies of texts that were cut out of longer ones. V8 has another representation for those, and code that meets more
 * than four representations looks each character up anew: splitting into words would take half as long again.
 */
function uncut<T extends readonly string[]>(texts: T): T {
  return JSON.parse(JSON.stringify(texts)) as T;
}
