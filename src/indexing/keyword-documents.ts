import type { DocumentSource, KeywordDocument } from '../keyword/keyword-index.js';
import type { Skill } from '../skill.js';
import type { CatalogueReader } from '../store/read/catalogue-reader.js';

/** The skills of a catalogue as what is searched by words. */
export function documentsOf(reader: CatalogueReader): DocumentSource {
  const { size } = reader.columns;
  const read = (number: number): KeywordDocument => toDocument(reader.skill(number), reader.texts(number));
  return {
    size,
    read,
    *all() {
      for (let number = 0; number < size; number++) yield read(number);
    },
  };
}

/** A skill and its files as what is searched by words. */
export function toDocument(skill: Skill, files: KeywordDocument['files']): KeywordDocument {
  const { name, author, description } = skill;
  return { name, author, labels: [...skill.categories, ...skill.occupations], description, files };
}
