import { PassThrough } from 'node:stream';
import { expect, onTestFinished, vi } from 'vitest';
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

/** What a command prints that ends well, and that says nothing on standard error. */
export async function outOf(words: readonly string[], terminal?: { readonly columns: number }): Promise<string> {
  const { status, out, error } = await runCaptured(words, terminal);
  expect([status, error]).toEqual([0, '']);
  return out;
}

/** The folders that programs ask the environment for. */
const FOLDERS = ['CONFIG', 'DATA', 'STATE', 'CACHE'].map((kind) => `XDG_${kind}_HOME`);
const OF_PROGRAMS = ['CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'COPILOT_HOME', 'LOCALAPPDATA', 'APPDATA'];

/** Lets the process of a test have this home and working folder, and no folders elsewhere, until the test ends. */
export function standAt(home: string, project: string): void {
  for (const name of [...FOLDERS, ...OF_PROGRAMS]) vi.stubEnv(name, undefined);
  for (const name of ['HOME', 'USERPROFILE']) vi.stubEnv(name, home);
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(project);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    cwd.mockRestore();
  });
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

/** What moves the cursor, changes colours, sets titles, makes links, deletes, forges a line, or reorders one. */
export const ATTACK =
  '\u001b[31m \u001b[2J\u001b[1;1H \u001b]0;owned\u0007 \u001b]8;;https://evil.example\u001b\\x\u001b]8;;\u001b\\ \u009b31m x\b\b \u007f \rforged \nforged \u0085forged\u2028forged\u2029forged\vforged\fforged \u202egnp.exe\u202c \u2066x\u2069\u2067y\u2069 \u200e\u200f\u061c';

/** Everything but line feeds that a terminal would act on. */
export const UNSAFE: RegExp = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c]/;
