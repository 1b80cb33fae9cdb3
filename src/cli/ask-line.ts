import { createInterface } from 'node:readline';

/** Asks for a line on the terminal. An input that ends, or Ctrl-C, is an empty answer. */
export function askLine(question: string, output: NodeJS.WritableStream): Promise<string> {
  const lines = createInterface({ input: process.stdin, output });
  return new Promise((resolve) => {
    lines.on('close', () => resolve(''));
    lines.on('SIGINT', () => lines.close());
    lines.question(question, (answer) => {
      resolve(answer.trim());
      lines.close();
    });
  });
}
