import type { DocumentSource, KeywordDocument } from './keyword/keyword-index.js';
import type { Skill } from './skill.js';
import type { CatalogueReader } from './store/catalogue-reader.js';

/** The skills of a catalogue as what is searched by words. */
export function documentsOf(reader: CatalogueReader): DocumentSource {
  const { size } = reader.columns;
  const read = (number: number): KeywordDocument => documentOf(reader, number, reader.skill(number));
  return {
    size,
    read,
    *all() {
      for (let number = 0; number < size; number++) yield read(number);
    },
  };
}

/** @param skill that of the number, read already */
export function documentOf(reader: CatalogueReader, number: number, skill: Skill): KeywordDocument {
  let files: KeywordDocument['files'] | undefined;
  return {
    name: skill.name,
    author: skill.author,
    labels: [...skill.categories, ...skill.occupations],
    description: skill.description,
    // Most that is asked of a document needs no file text, which is most of its bytes.
    get files() {
      files ??= reader.texts(number);
      return files;
    },
  };
}
