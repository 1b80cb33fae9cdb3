// Control characters, which start a terminal's escape sequences, and bidirectional overrides. Text of a catalogue must
// not be able to move the cursor, change colours or reorder a line.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c\ufeff]+/g;

/** Makes a text of a catalogue safe for one line of a terminal. */
export function oneLine(text: string): string {
  return text.replace(UNSAFE, ' ').replace(/\s+/g, ' ').trim();
}

/** Makes a text of a catalogue safe for several lines. Line ends stay; a tab becomes two blanks. */
export function manyLines(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.replaceAll('\t', '  ').replace(UNSAFE, ' ').trimEnd())
    .join('\n');
}

/** Replaces unsafe characters by blanks, so that the length stays the same. */
export function blankUnsafe(text: string): string {
  return text.replace(UNSAFE, (run) => ' '.repeat(run.length));
}
