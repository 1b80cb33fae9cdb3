import type { Connection } from './sqlite/connection.js';

/** Reads a value of the table `meta`. Returns undefined if the key is not there. */
export function readMeta(connection: Connection, key: string): string | undefined {
  return connection.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck().get(key);
}

/** Sets a value of the table `meta`. */
export function writeMeta(connection: Connection, key: string, value: string): void {
  connection
    .prepare('INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value')
    .run(key, value);
}
