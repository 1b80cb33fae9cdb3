/**
 * Optimal string alignment distance: the least number of insertions, deletions, substitutions and swaps of two
 * neighbours that turn one text into the other, where no character is edited twice. Counts UTF-16 units.
 *
 * @returns the distance, or `limit + 1` if it is greater than `limit`
 */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const substitution = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(substitution, last[j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, beforeLast[j - 2]! + 1);
      }
      row.push(cost);
      least = Math.min(least, cost);
    }
    // A swap reaches back two rows, so both rows must be above the limit.
    if (least > limit && Math.min(...last) > limit) return limit + 1;
    beforeLast = last;
    last = row;
  }
  return Math.min(last[b.length]!, limit + 1);
}

/** Length of a row of the distance table. A word that does not fit counts as too far away; terms are much shorter. */
const ROW_LENGTH = 128;
const ROWS: readonly [Uint8Array, Uint8Array, Uint8Array] = [
  new Uint8Array(ROW_LENGTH),
  new Uint8Array(ROW_LENGTH),
  new Uint8Array(ROW_LENGTH),
];

/** Any distance above the greatest limit. */
const TOO_FAR = 3;

/**
 * Whether two words of ASCII letters are at most `limit` edits apart: the same answer as `editDistance`, but fast for
 * the many words of a catalogue, nearly all of which are too far away.
 *
 * @param word the first word
 * @param bytes hold the second word from `from` up to `to`
 * @param limit 1 or 2
 */
export function isWithinEdits(word: Uint8Array, bytes: Uint8Array, from: number, to: number, limit: number): boolean {
  let [wordStart, wordEnd, otherStart, otherEnd] = [0, word.length, from, to];
  // A common beginning or end needs no edit.
  while (wordStart < wordEnd && otherStart < otherEnd && word[wordStart] === bytes[otherStart]) {
    wordStart += 1;
    otherStart += 1;
  }
  while (wordStart < wordEnd && otherStart < otherEnd && word[wordEnd - 1] === bytes[otherEnd - 1]) {
    wordEnd -= 1;
    otherEnd -= 1;
  }
  const [wordLength, otherLength] = [wordEnd - wordStart, otherEnd - otherStart];
  if (wordLength === 0 || otherLength === 0) return Math.max(wordLength, otherLength) <= limit;
  if (wordLength === 1 && otherLength === 1) return true;
  const areTwoEach = wordLength === 2 && otherLength === 2;
  if (areTwoEach && word[wordStart] === bytes[otherStart + 1] && word[wordStart + 1] === bytes[otherStart]) return true;
  if (limit === 1) return false;
  return isWithinTwo(word, wordStart, wordLength, bytes, otherStart, otherLength);
}

/**
 * Computes the optimal string alignment distance row by row. Only the five cells around the diagonal can be 2 or less,
 * so only these are computed.
 */
function isWithinTwo(
  word: Uint8Array,
  wordStart: number,
  wordLength: number,
  bytes: Uint8Array,
  otherStart: number,
  otherLength: number,
): boolean {
  if (Math.abs(wordLength - otherLength) > 2 || otherLength + 3 > ROW_LENGTH) return false;
  let [secondLastRow, lastRow, row] = ROWS;
  for (let column = 0; column <= Math.min(otherLength, 3); column++) lastRow[column] = column;
  let leastOfLastRow = 0;
  for (let i = 1; i <= wordLength; i++) {
    const firstColumn = Math.max(1, i - 2);
    const lastColumn = Math.min(otherLength, i + 2);
    row[firstColumn - 1] = firstColumn === 1 ? i : TOO_FAR;
    let leastOfRow = row[firstColumn - 1]!;
    for (let j = firstColumn; j <= lastColumn; j++) {
      const isSame = word[wordStart + i - 1] === bytes[otherStart + j - 1];
      let distance = lastRow[j - 1]! + (isSame ? 0 : 1);
      const inserted = row[j - 1]! + 1;
      if (inserted < distance) distance = inserted;
      const deleted = j < i + 2 ? lastRow[j]! + 1 : TOO_FAR;
      if (deleted < distance) distance = deleted;
      if (
        i > 1 &&
        j > 1 &&
        word[wordStart + i - 1] === bytes[otherStart + j - 2] &&
        word[wordStart + i - 2] === bytes[otherStart + j - 1]
      ) {
        const swapped = secondLastRow[j - 2]! + 1;
        if (swapped < distance) distance = swapped;
      }
      row[j] = distance;
      if (distance < leastOfRow) leastOfRow = distance;
    }
    // A swap reaches back two rows.
    if (leastOfRow > 2 && leastOfLastRow > 2) return false;
    leastOfLastRow = leastOfRow;
    [secondLastRow, lastRow, row] = [lastRow, row, secondLastRow];
  }
  return lastRow[otherLength]! <= 2;
}
