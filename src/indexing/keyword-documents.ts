import type { DocumentSource, KeywordDocument } from '../keyword/keyword-index.js';
import type { DocumentNumber } from '../numbers.js';
import type { Skill } from '../skill.js';
import type { CatalogueReader } from '../store/read/catalogue-reader.js';

/** The skills of a catalogue as documents of keyword search. */
export function documentsOf(reader: CatalogueReader): DocumentSource {
  const { size } = reader.columns;
  const read = (document: DocumentNumber): KeywordDocument =>
    toDocument(reader.skill(document), reader.texts(document));
  return {
    size,
    read,
    *all() {
      for (let document = 0; document < size; document++) yield read(document);
    },
  };
}

/** A skill and its files as a document of keyword search. */
export function toDocument(skill: Skill, files: KeywordDocument['files']): KeywordDocument {
  const { name, author, description } = skill;
  return { name, author, labels: [...skill.categories, ...skill.occupations], description, files };
}
