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
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function asEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

export function printJson({ out }: Output, value: unknown): void {
  out.write(`${JSON.stringify(value, undefined, 2).replace(UNSAFE, asEscape)}\n`);
}

/** Prints a value as JSON in one line, for results of which there are more to come. */
export function printJsonLine({ out }: Output, value: unknown): void {
  out.write(`${JSON.stringify(value).replace(UNSAFE, asEscape)}\n`);
}

export function printLines({ out }: Output, lines: readonly string[]): void {
  out.write(`${lines.join('\n')}\n`);
}
