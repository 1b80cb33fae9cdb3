/** The streams of a command: results go to `out`, everything else to `error`. */
export interface Output {
  readonly out: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly error: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** The width of results, in columns. */
export function columnsOf({ out }: Output): number {
  return Math.max(60, Math.min(out.columns ?? 100, 140));
}

/** Characters that JSON does not escape and terminals may act on: C1 controls, bidirectional overrides. */
const UNSAFE_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** @param indent 0 for one line, for results of which there are more to come */
export function printJson({ out }: Output, value: unknown, indent = 2): void {
  const asEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  out.write(`${JSON.stringify(value, undefined, indent).replace(UNSAFE_IN_JSON, asEscape)}\n`);
}

export function printLines({ out }: Output, lines: readonly string[]): void {
  out.write(`${lines.join('\n')}\n`);
}

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

/** Signals that stop work. Both are handled, so that it ends in order. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Does work that the first SIGINT or SIGTERM aborts.
 *
 * @param work gets the signal that is aborted then
 */
export async function untilInterrupted(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort(new Error('interrupted'));
  for (const signal of SIGNALS) process.once(signal, interrupt);
  try {
    await work(stop.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}
