import { copyFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Database } from '../../src/sqlite/connection.js';
import { scratchFile } from '../scratch-folder.js';

/** A copy of a catalogue that an earlier version has written. @param name of a file of `fixtures/` */
export function earlierCatalogue(name: string): string {
  const path = scratchFile('skills.db');
  copyFileSync(fileURLToPath(new URL(`fixtures/${name}`, import.meta.url)), path);
  return path;
}

export function change(database: string, sql: string): void {
  const connection = new Database(database);
  connection.exec(sql);
  connection.close();
}

export function formatOf(database: string): unknown {
  const connection = new Database(database, { readonly: true });
  try {
    return connection.pragma('user_version', { simple: true });
  } finally {
    connection.close();
  }
}
