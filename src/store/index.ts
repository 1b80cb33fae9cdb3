// What readers of a catalogue need. What only writers need lies behind the other door, `writing.ts`.
export * from './copies/collapse-copies.js';
export { beyondRepair, NEW_FILE, openForReading, problemIn, storeError, whileOpen } from './database.js';
export { derivedFiles, filesBeside, inodeIn, signatureOf, sqliteFiles, watchLock } from './files.js';
export { FileLock, isLoading } from './locks.js';
export { CatalogueReader, NO_VECTOR, readStamp } from './read/catalogue-reader.js';
export type { ChangedColumns } from './read/changed-columns.js';
export { type CatalogueColumns, columnRules, type PackedColumns, withoutLateLabels } from './read/columns.js';
export { CatalogueTexts, unpacked } from './read/stored-row.js';
export { hasUnitLength, openStoredVectors, type VectorReader } from './read/stored-vectors.js';
export { changesSince } from './revisions.js';
export { type Connection, Database, databaseError, isBusy, type Statement } from './sqlite.js';
