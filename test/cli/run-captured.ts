import { PassThrough } from 'node:stream';
import { run } from '../../src/cli/index.js';

/** What a command did. */
export interface Captured {
  readonly status: number;
  /** Standard output. */
  readonly out: string;
  /** Standard error. */
  readonly error: string;
}

/** Runs a command in this process, its output caught; `terminal` makes both streams look like a terminal. */
export async function runCaptured(
  words: readonly string[],
  terminal?: { readonly columns: number },
): Promise<Captured> {
  const [out, error] = [catchingStream(terminal), catchingStream(terminal)];
  const status = await run(words, { out: out.stream, error: error.stream });
  return { status, out: out.text(), error: error.text() };
}

function catchingStream(terminal: { readonly columns: number } | undefined) {
  const stream = new PassThrough();
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  if (terminal !== undefined) {
    Object.assign(stream, { isTTY: true, columns: terminal.columns, hasColors: () => true });
  }
  return {
    stream,
    text: () => {
      for (let rest = stream.read() as Buffer | null; rest !== null; rest = stream.read()) chunks.push(rest);
      return Buffer.concat(chunks).toString('utf8');
    },
  };
}

/** The lines of an output that ends with a line feed. */
export function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}
