/** Whether what names a catalogue is the address of a snapshot's manifest, and not the path of a file. */
export function isSnapshotAddress(database: unknown): database is string {
  return typeof database === 'string' && /^https?:\/\//i.test(database);
}

/** Whether a text is meant as the address of a database of PostgreSQL: anything else is the path of a file. */
export function isPostgresAddress(text: unknown): text is string {
  return typeof text === 'string' && /^postgres(?:ql)?:/i.test(text);
}

/** Whether what names a catalogue is the address of one that is elsewhere: a local copy of it is searched. */
export function isCatalogueAddress(database: unknown): database is string {
  return isSnapshotAddress(database) || isPostgresAddress(database);
}
