import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Rules are fitted to the prompts of one half, and reported on the other. */
export type Half = 'fit' | 'report';

/** A prompt, and the skills of the home that are useful for it; none for one that needs no skill. */
export interface JudgedPrompt {
  readonly prompt: string;
  readonly half: Half;
  readonly relevant: readonly string[];
  /** ISO 639-1, where it is known. */
  readonly language?: string;
}

const FOLDER = new URL('.', import.meta.url);

/** The prompts that need no skill. */
export function promptsWithoutNeed(): JudgedPrompt[] {
  return (['fit', 'report'] as const).flatMap((half) =>
    readFileSync(new URL(`no-need-${half}.jsonl`, FOLDER), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => ({ prompt: (JSON.parse(line) as { prompt: string }).prompt, half, relevant: [] })),
  );
}

/** The prompts of `need.jsonl` in the folder of a home. */
export function promptsWithNeed(folder: string): JudgedPrompt[] {
  return readFileSync(join(folder, 'need.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JudgedPrompt);
}
