import { closeSync } from 'node:fs';
import {
  type DocumentNumber,
  type ExpectedFile,
  type FileRules,
  isCurrentArrayFile,
  isDamage,
  openArrayFile,
  PagedArrayFile,
  readArrayFile,
  type StatedSizes,
  WORD_RULES,
  writeArrayFile,
} from '../core/index.js';
import { type DocumentSource, type KeywordDocument, type PackedKeywords, packedRules } from '../keyword/index.js';
import type { Skill } from '../skill.js';
import { type CatalogueReader, columnRules, filesBeside, type PackedColumns, unpacked } from '../store/index.js';

/** What the keyword file of a catalogue holds. */
export interface KeywordFileContent {
  readonly keywords: PackedKeywords;
  readonly columns: PackedColumns;
}

/** A keyword file that was opened. Only the needed parts of its arrays are read. */
export interface OpenKeywordFile extends KeywordFileContent {
  readonly file: PagedArrayFile;
  /** Stamp of its state. */
  readonly stamp: string;
}

/** @throws Error of the file system; a file that was there before is left as it was */
export function writeKeywordFile(catalogue: string, stamp: string, content: KeywordFileContent): void {
  writeArrayFile(filesBeside(catalogue).keyword, identityOf(stamp), content);
}

/**
 * Opens the keyword file of a state of a catalogue.
 *
 * @param stamp left out for any state
 * @returns undefined if there is no file, or its header is damaged, or it belongs to another state or other word rules
 */
export function openKeywordFile(catalogue: string, stamp?: string): OpenKeywordFile | undefined {
  const file = PagedArrayFile.open(filesBeside(catalogue).keyword, identityOf(stamp));
  if (file === undefined) return undefined;
  // The rules say that the tree has all arrays of these two.
  const { keywords, columns } = file.tree as unknown as KeywordFileContent;
  return { file, keywords, columns, stamp: String(file.origin['stamp']) };
}

/** The stamp of the state that the keyword file belongs to; undefined if there is no file that can be read. */
export function stampOfKeywordFile(catalogue: string): string | undefined {
  const opened = openArrayFile(filesBeside(catalogue).keyword, identityOf());
  if (opened === undefined) return undefined;
  closeSync(opened.file);
  return String(opened.header.origin['stamp']);
}

/**
 * Reads all arrays of the keyword file of any state.
 *
 * @returns undefined if there is no file, or it is damaged, or it was made by other word rules
 */
export async function readKeywordFile(catalogue: string): Promise<KeywordFileContent | undefined> {
  const tree = await readArrayFile(filesBeside(catalogue).keyword, identityOf());
  return tree as unknown as KeywordFileContent | undefined;
}

/**
 * Whether the keyword file belongs to a state, was made by the present word rules, and is whole. Reads all of it.
 */
export function isCurrentKeywordFile(catalogue: string, stamp: string): Promise<boolean> {
  return isCurrentArrayFile(filesBeside(catalogue).keyword, identityOf(stamp));
}

/** Whether the keyword file is whole, of whatever state and word rules. Reads all of it. */
export function isWholeKeywordFile(catalogue: string): Promise<boolean> {
  return isCurrentArrayFile(filesBeside(catalogue).keyword, { ...identityOf(), origin: {} });
}

/** @param stamp of the state that the file belongs to; left out for any state */
function identityOf(stamp?: string): ExpectedFile {
  const origin = { wordRules: WORD_RULES, ...(stamp === undefined ? {} : { stamp }) };
  return { kind: 'keywords', origin, rulesOf: keywordFileRules };
}

/** A checksum is no secret, so whoever can write the file can write anything with a right checksum. */
function keywordFileRules(sizes: StatedSizes): FileRules {
  const keywords = packedRules('keywords.', sizes);
  const columns = columnRules('columns.', sizes, sizes.numberOf('keywords.size'));
  return { arrays: { ...keywords.arrays, ...columns.arrays }, numbers: keywords.numbers };
}

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
  // Copies of texts that were cut out of longer ones. V8 has another representation for those, and code that meets more
  // than four representations looks each character up anew: splitting into words would take half as long again.
  const uncut = JSON.stringify([skill.name, skill.author, skill.description]);
  const [name, author, description] = JSON.parse(uncut) as [string, string, string];
  return { name, author, labels: [...skill.categories, ...skill.occupations, ...skill.tags], description, files };
}
