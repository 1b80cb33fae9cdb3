import type { Connection } from '../sqlite/connection.js';
import { FORMAT_UNPACKED, FORMAT_VERSION, FORMAT_WITHOUT_CHECKSUMS } from './schema.js';

type Schema = 'main' | 'base' | 'left_over';

/** The format version of a catalogue. */
export function formatOf(connection: Connection, schema: Schema = 'main'): number {
  return connection.pragma(`${schema}.user_version`, { simple: true }) as number;
}

/** Whether this version reads a format. */
export function isKnownFormat(format: number): boolean {
  return format === FORMAT_VERSION || format === FORMAT_UNPACKED || format === FORMAT_WITHOUT_CHECKSUMS;
}

/** Whether a catalogue has checksums. */
export function hasChecksums(connection: Connection, schema: Schema = 'main'): boolean {
  return formatOf(connection, schema) >= FORMAT_UNPACKED;
}

/** Whether records and texts that are written into a catalogue are packed. Some that it has may be unpacked. */
export function isPacked(connection: Connection): boolean {
  return formatOf(connection) === FORMAT_VERSION;
}
