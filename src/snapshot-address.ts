/** Whether what names a catalogue is the address of a snapshot's manifest, and not the path of a file. */
export function isSnapshotAddress(database: unknown): database is string {
  return typeof database === 'string' && /^https?:\/\//i.test(database);
}
