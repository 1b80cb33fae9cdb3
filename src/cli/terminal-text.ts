// Control characters, among them those that begin a terminal's escape sequences, and bidirectional overrides: text of
// a catalogue must not be able to move the cursor, change colours or reorder a line.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c\ufeff]+/g;

/** Text of a catalogue on one line of a terminal. */
export function oneLine(text: string): string {
  return text.replace(UNSAFE, ' ').replace(/\s+/g, ' ').trim();
}

/** Text of a catalogue over several lines: line ends and tabs stay. */
export function manyLines(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.replaceAll('\t', '  ').replace(UNSAFE, ' ').trimEnd())
    .join('\n');
}

/** Takes what is not safe out of a text without changing its length. */
export function blankUnsafe(text: string): string {
  return text.replace(UNSAFE, (run) => ' '.repeat(run.length));
}
