import type { Connection } from '../sqlite/connection.js';
import { createInMemory } from './database.js';
import { CONTENT_TABLES, DERIVED_LABELS, FORGOTTEN, STATES, SUPERSEDED } from './schema.js';

/** Where the schema of a catalogue is not what this version makes. */
export interface SchemaFaults {
  /** Tables that are missing or have another definition. Their rows cannot be trusted. Those added later may miss. */
  readonly tables: readonly string[];
  /** Statements that make indexes and triggers what they should be, and tables that were added later. */
  readonly mending: readonly string[];
}

interface SchemaObject {
  readonly type: 'table' | 'index' | 'trigger' | 'view';
  readonly name: string;
  readonly on: string;
  /** Null for an index that comes with its table. */
  readonly sql: string | null;
}

const ADDED_LATER: ReadonlySet<string> = new Set([
  ...CONTENT_TABLES,
  DERIVED_LABELS,
  STATES,
  FORGOTTEN,
  ...Object.values(SUPERSEDED),
]);

let expected: ReadonlyMap<string, SchemaObject> | undefined;

/**
 * Compares the schema of a catalogue of the present format with a new one. Tables that we do not know are left alone:
 * an extension of SQLite may have made them.
 */
export function schemaFaults(connection: Connection): SchemaFaults {
  expected ??= newSchema();
  const present = objectsIn(connection);
  const tables: string[] = [];
  const mending: string[] = [];
  for (const object of expected.values()) {
    const { type, name, sql } = object;
    const found = present.get(name);
    if (found !== undefined && isSame(found, object)) continue;
    if (type === 'table' && (found !== undefined || !ADDED_LATER.has(name))) tables.push(name);
    else {
      if (found !== undefined && found.type !== 'table') mending.push(dropping(found));
      mending.push(sql!);
    }
  }
  for (const object of present.values()) {
    if (object.type !== 'table' && !expected.has(object.name)) mending.unshift(dropping(object));
  }
  return { tables, mending };
}

function newSchema(): ReadonlyMap<string, SchemaObject> {
  const catalogue = createInMemory();
  try {
    return objectsIn(catalogue);
  } finally {
    catalogue.close();
  }
}

/** By name. Without what SQLite makes itself. */
function objectsIn(connection: Connection): Map<string, SchemaObject> {
  const objects = connection
    .prepare<[], SchemaObject>(`
      SELECT type, name, tbl_name AS "on", sql FROM main.sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`)
    .all();
  return new Map(objects.map((object) => [object.name, object]));
}

function isSame(found: SchemaObject, object: SchemaObject): boolean {
  return found.type === object.type && found.on === object.on && withoutSpace(found.sql) === withoutSpace(object.sql);
}

/** A column that was added to a table stands there with other white space. */
function withoutSpace(sql: string | null): string | undefined {
  return sql
    ?.replace(/\s+/g, ' ')
    .replace(/ ?([(),;]) ?/g, '$1')
    .trim();
}

function dropping({ type, name }: SchemaObject): string {
  return `DROP ${type} "${name.replaceAll('"', '""')}"`;
}
