/** Where the letters of two words may lie apart by two edits: more rows than that are given up. */
const WIDEST = 128;
const ROWS = [0, 1, 2].map(() => new Uint8Array(WIDEST)) as [Uint8Array, Uint8Array, Uint8Array];

/**
 * Whether a word of ASCII letters, as bytes, is at most so many edits away from another that lies in a longer piece of
 * bytes: `editDistance` for the many that are looked at, of which nearly all are too far away.
 *
 * @param limit 1 or 2
 */
export function isWithinEdits(word: Uint8Array, bytes: Uint8Array, from: number, to: number, limit: number): boolean {
  let [start, end, first, last] = [0, word.length, from, to];
  // What both begin or end with needs no edit.
  while (start < end && first < last && word[start] === bytes[first]) {
    start += 1;
    first += 1;
  }
  while (start < end && first < last && word[end - 1] === bytes[last - 1]) {
    end -= 1;
    last -= 1;
  }
  const [m, n] = [end - start, last - first];
  if (m === 0 || n === 0) return Math.max(m, n) <= limit;
  if (m === 1 && n === 1) return true;
  if (m === 2 && n === 2 && word[start] === bytes[first + 1] && word[start + 1] === bytes[first]) return true;
  if (limit === 1) return false;
  return withinTwo(word, start, m, bytes, first, n);
}

/** Rows of the optimal string alignment distance, of which only the five places around the diagonal can be 2 or less. */
function withinTwo(word: Uint8Array, start: number, m: number, bytes: Uint8Array, from: number, n: number): boolean {
  if (Math.abs(m - n) > 2 || n + 3 > WIDEST) return false;
  let [beforeLast, last, row] = ROWS;
  for (let j = 0; j <= Math.min(n, 3); j++) last[j] = j;
  let leastBefore = 0;
  for (let i = 1; i <= m; i++) {
    const [low, high] = [Math.max(1, i - 2), Math.min(n, i + 2)];
    row[low - 1] = low === 1 ? i : 3;
    let least = row[low - 1]!;
    for (let j = low; j <= high; j++) {
      const same = word[start + i - 1] === bytes[from + j - 1];
      let cost = last[j - 1]! + (same ? 0 : 1);
      const left = row[j - 1]! + 1;
      if (left < cost) cost = left;
      const above = j < i + 2 ? last[j]! + 1 : 3;
      if (above < cost) cost = above;
      if (
        i > 1 &&
        j > 1 &&
        word[start + i - 1] === bytes[from + j - 2] &&
        word[start + i - 2] === bytes[from + j - 1]
      ) {
        const swapped = beforeLast[j - 2]! + 1;
        if (swapped < cost) cost = swapped;
      }
      row[j] = cost;
      if (cost < least) least = cost;
    }
    if (least > 2 && leastBefore > 2) return false;
    leastBefore = least;
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return last[n]! <= 2;
}
