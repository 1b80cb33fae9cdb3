// What loads, checks, replicas and snapshots need: searching must not link it.

export type { ContentRow } from './checksums.js';
export { notWritable } from './database.js';
export { newStamp, readNamedState, writeNote } from './notes.js';
export { type PackedBlob, packBlob, unpackBlob } from './packing.js';
export { withoutMark } from './places.js';
export { CatalogueCheck, structureFaults } from './read/catalogue-check.js';
export { encodeVector } from './read/stored-vectors.js';
export { copyKey, type SkillColumns, type SkillContentsToStore } from './stored-skill.js';
export { applyChanges } from './transfer/apply-changes.js';
export type { CatalogueChanges, StoredVector } from './transfer/catalogue-changes.js';
export { differenceOf } from './transfer/difference.js';
export { headOf, ImageReader } from './transfer/image-reader.js';
export { bytesOfImage, type ClaimRow, checkImage, claimOf, type SkillImage } from './transfer/skill-image.js';
export { TriedChange } from './transfer/tried-change.js';
export { CatalogueRepair } from './write/catalogue-repair.js';
export { CatalogueWriter } from './write/catalogue-writer.js';
export type { LabelledSkill, LabelSink } from './write/labels.js';
export type { LoadLabels, LoadVectors } from './write/load-sinks.js';
export { MemoryCatalogue } from './write/memory-catalogue.js';
export { OpenChange } from './write/open-change.js';
export type { ChangeCounts } from './write/open-load.js';
export type { SkillSink, SparedPlace } from './write/pruning.js';
export { forgetJournal, putInPlace } from './write/staging-file.js';
export { type EmbeddedText, type EmbeddingSink, type TextToEmbed, VectorStatements } from './write/vectors.js';
