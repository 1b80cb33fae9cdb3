// What loads, checks, replicas and snapshots need: searching must not link it.
export { notWritable } from './database.js';
export { readNamedState, writeNote } from './notes.js';
export { type PackedBlob, packBlob, unpackBlob } from './packing.js';
export { withoutMark } from './places.js';
export { CatalogueCheck, structureFaults } from './read/catalogue-check.js';
export { blobsIn, copyKey, fieldsOf } from './stored-skill.js';
export { applyChanges } from './transfer/apply-changes.js';
export { differenceOf } from './transfer/difference.js';
export {
  bytesOfImage,
  type CatalogueChanges,
  checkImage,
  headOf,
  ImageReader,
  type SkillImage,
  type StoredVector,
} from './transfer/skill-image.js';
export { publishRepair } from './write/catalogue-repair.js';
export { CatalogueWriter } from './write/catalogue-writer.js';
export type { LabelledSkill, LoadLabels } from './write/load-sinks.js';
export { MemoryCatalogue } from './write/memory-catalogue.js';
export { type ChangeCounts, OpenLoad } from './write/open-load.js';
export type { SkillSink, SparedPlace } from './write/pruning.js';
export { forgetJournal, lendVectors, putInPlace } from './write/staging-file.js';
export { type EmbeddedText, type EmbeddingSink, type TextToEmbed, VectorStatements } from './write/vectors.js';
