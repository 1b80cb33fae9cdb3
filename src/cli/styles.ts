import type { WriteStream } from 'node:tty';

/** Emphasis for terminals with colours; plain text otherwise. */
export interface Styles {
  bold(text: string): string;
  dim(text: string): string;
  match(text: string): string;
}

const PLAIN: Styles = { bold: (text) => text, dim: (text) => text, match: (text) => text };

const STYLED: Styles = {
  bold: (text) => `\u001b[1m${text}\u001b[22m`,
  dim: (text) => `\u001b[2m${text}\u001b[22m`,
  match: (text) => `\u001b[33m${text}\u001b[39m`,
};

export function stylesFor(stream: Partial<Pick<WriteStream, 'isTTY' | 'hasColors'>>): Styles {
  return stream.isTTY === true && stream.hasColors?.() === true ? STYLED : PLAIN;
}
