import { createHash } from 'node:crypto';

/**
 * The cursor of the next page of a list: what the present page ends with, and a short checksum. It needs nothing that
 * the server remembers, so it outlives a reload and a restart, and any server of the same catalogue takes it. A cursor
 * that was made up, or is of another list, is noticed.
 *
 * @param list the method that the cursor belongs to
 */
export function cursorAfter(list: string, id: string): string {
  return `${Buffer.from(id, 'utf8').toString('base64url')}.${checksum(list, id)}`;
}

/** @returns what the page before ended with; undefined if this server did not make the cursor for this list */
export function readCursor(list: string, cursor: string): string | undefined {
  const match = /^([A-Za-z0-9_-]+)\.[0-9a-f]{16}$/.exec(cursor);
  if (match === null) return undefined;
  const id = Buffer.from(match[1]!, 'base64url').toString('utf8');
  return cursorAfter(list, id) === cursor ? id : undefined;
}

function checksum(list: string, id: string): string {
  return createHash('sha256').update(`skill-discovery ${list} ${id}`).digest('hex').slice(0, 16);
}
