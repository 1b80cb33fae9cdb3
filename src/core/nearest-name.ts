/**
 * The name that somebody probably meant by one that does not exist, as `sortBy` for `sort`; undefined if none is near.
 * Near is: equal but for case, the beginning of the other, or few edits away for its length (one edit in three
 * letters).
 *
 * @param names at least those that exist; the first of several that are equally near is taken
 */
export function nearestName(given: string, names: Iterable<string>): string | undefined {
  // Nobody means a short name by a very long one, and the work grows with the length.
  if (given.length > LONGEST) return undefined;
  const lower = given.toLowerCase();
  let best: string | undefined;
  let bestEdits = Number.POSITIVE_INFINITY;
  for (const name of names) {
    const other = name.toLowerCase();
    const isBeginning = other.startsWith(lower) || lower.startsWith(other);
    const edits = isBeginning ? 0.5 * Math.abs(other.length - lower.length) : editsBetween(lower, other);
    const isNear = isBeginning || edits <= Math.floor(Math.max(lower.length, other.length) / 3);
    if (!isNear || edits >= bestEdits) continue;
    best = name;
    bestEdits = edits;
  }
  return best;
}

const LONGEST = 64;

/** Letters to insert, remove or replace (Levenshtein distance, by rows of the table). */
function editsBetween(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 0; i < one.length; i++) {
    const row = [i + 1];
    for (let j = 0; j < other.length; j++) {
      const replaced = above[j]! + (one[i] === other[j] ? 0 : 1);
      row.push(Math.min(replaced, above[j + 1]! + 1, row[j]! + 1));
    }
    above = row;
  }
  return above[other.length]!;
}
