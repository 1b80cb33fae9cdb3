import { isObject, LOCAL_LIMITS } from '../../core/index.js';

/**
 * The protocol: the client sends one line of JSON, the server one line back, and closes. Another version is refused,
 * so a client of one version of this library never reads what a server of another meant.
 */
export const LOCAL_VERSION = 1;

/** What the client sends. */
export interface LocalRequest {
  readonly version: typeof LOCAL_VERSION;
  /** Real path of the catalogue that is meant. */
  readonly database: string;
  /** What is asked. This room only carries it. */
  readonly ask: unknown;
}

/** What the server sends back: an answer, or the code of why there is none. */
export type LocalReply =
  | { readonly version: typeof LOCAL_VERSION; readonly answer: unknown }
  | { readonly version: typeof LOCAL_VERSION; readonly refused: string };

/** @returns undefined if the text is not JSON, or no object of this version */
export function readMessage(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) && value['version'] === LOCAL_VERSION ? value : undefined;
  } catch {
    return undefined;
  }
}

export function writeMessage(message: LocalRequest | LocalReply): string {
  return `${JSON.stringify(message)}\n`;
}

/** Collects what arrives until the first line is whole. */
export class FirstLine {
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** @returns the line once it is whole; `too long` if it is longer than a message may be */
  add(chunk: Buffer): { readonly line: string } | 'too long' | undefined {
    const end = chunk.indexOf(0x0a);
    const part = end < 0 ? chunk : chunk.subarray(0, end);
    this.#bytes += part.length;
    if (this.#bytes > LOCAL_LIMITS.messageBytes) return 'too long';
    this.#chunks.push(part);
    if (end < 0) return undefined;
    const line = Buffer.concat(this.#chunks).toString('utf8');
    this.#chunks = [];
    return { line };
  }
}
