import type { Readable } from 'node:stream';
import type { SourceKind } from '../rows/source-kind.js';
import { readJsonRows } from './json-rows.js';

/** Standard input, with the content of a JSON file. */
export const STANDARD_INPUT: SourceKind = {
  name: 'stdin',
  description: '- for standard input',
  isName: (name) => name === '-',
  read: (source, options) => {
    return readJsonRows(source.name, readStream(options.stdin ?? process.stdin, options.signal), options);
  },
};

async function* readStream(stream: Readable, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  // Destroying the stream also ends the wait for input that never comes.
  const stop = (): void => void stream.destroy();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of stream) {
      yield typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
  signal?.throwIfAborted();
}
