import type { Readable } from 'node:stream';
import { HOOK_LIMITS } from '../../core/index.js';
import { type HookFormat, NoPrompt, type Prompt, promptIn } from './hook-formats.js';

/**
 * Reads standard input until it has a prompt, or ends.
 *
 * @throws {NoPrompt} if it ends without one, or is too long
 */
export function readInput(input: Readable, format: HookFormat): Promise<Prompt> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (whole: boolean): void => {
      try {
        const prompt = promptIn(Buffer.concat(chunks).toString('utf8'), format, whole);
        if (prompt !== undefined) resolve(prompt);
      } catch (error) {
        reject(error);
      }
    };
    input.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > HOOK_LIMITS.inputBytes) {
        input.destroy();
        reject(new NoPrompt('INPUT_TOO_LONG'));
        return;
      }
      chunks.push(chunk);
      // Only what may be the end is tried, or the pieces of a long prompt would be parsed again and again.
      if (chunk.at(-1) === CLOSING_BRACE || chunk.at(-1) === LINE_FEED) settle(false);
    });
    input.on('end', () => settle(true));
    input.on('error', () => reject(new NoPrompt('INPUT_NOT_READABLE')));
  });
}

const CLOSING_BRACE = 0x7d;
const LINE_FEED = 0x0a;
