export { structureFaults } from './read/catalogue-check.js';

export { type PackedBlob, packBlob, unpackBlob } from './read/content-reader.js';
export {
  allCopiesOf,
  besideTheirCopies,
  CopiesAmong,
  collapseCopies,
  copiesOf,
  copyPreference,
  prepareCopies,
} from './copies/collapse-copies.js';
export { beyondRepair, NEW_FILE, openForReading, problemIn, storeError } from './database.js';
export { derivedFiles, filesBeside, inodeIn, signatureOf, sqliteFiles, watchLock } from './files.js';
export { FileLock, isLoading, LoadLock } from './locks.js';
export { readNamedState, writeNote } from './notes.js';
export { withoutMark } from './places.js';
export { CatalogueCheck } from './read/catalogue-check.js';
export { CatalogueReader, NO_VECTOR, readStamp } from './read/catalogue-reader.js';
export type { ChangedColumns } from './read/changed-columns.js';
export { type CatalogueColumns, columnRules, type PackedColumns, withoutLateLabels } from './read/columns.js';
export { CatalogueTexts, unpacked } from './read/stored-row.js';
export { decodeVector, hasUnitLength, openStoredVectors, type VectorReader } from './read/stored-vectors.js';
export { changesSince } from './revisions.js';
export { type Connection, Database, databaseError, isBusy, type Statement } from './sqlite.js';
export type { SkillContentsToStore } from './stored-skill.js';
export { copyKey } from './stored-skill.js';
export { applyChanges } from './transfer/apply-changes.js';
export type { CatalogueChanges, StoredVector } from './transfer/catalogue-changes.js';
export { differenceOf } from './transfer/difference.js';
export { headOf, ImageReader } from './transfer/image-reader.js';
export { bytesOfImage, checkImage, type SkillImage } from './transfer/skill-image.js';
export { CatalogueRepair } from './write/catalogue-repair.js';
export { CatalogueWriter } from './write/catalogue-writer.js';
export type { LabelledSkill, LabelSink } from './write/labels.js';
export type { LoadLabels, LoadVectors } from './write/load-sinks.js';
export { MemoryCatalogue } from './write/memory-catalogue.js';
export { OpenChange } from './write/open-change.js';
export type { ChangeCounts } from './write/open-load.js';
export type { SkillSink, SparedPlace } from './write/pruning.js';
export { forgetJournal, putInPlace } from './write/staging-file.js';
export type { EmbeddedText, EmbeddingSink, TextToEmbed } from './write/vectors.js';
export { VectorStatements } from './write/vectors.js';
