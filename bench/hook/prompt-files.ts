import { readdirSync, readFileSync } from 'node:fs';
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
  /** Who wrote it, where that is known: a file for each. */
  readonly writer?: string;
}

const FOLDER = new URL('./', import.meta.url);

/** The prompts that need no skill: the files `no-need-*.jsonl` beside this one, each by another writer. */
export function promptsWithoutNeed(): JudgedPrompt[] {
  const names = readdirSync(FOLDER).filter((name) => /^no-need-.*\.jsonl$/.test(name));
  return names.sort().flatMap((name) =>
    readLines(new URL(name, FOLDER)).map((line) => ({
      prompt: (JSON.parse(line) as { prompt: string }).prompt,
      half: name.startsWith('no-need-fit') ? ('fit' as const) : ('report' as const),
      relevant: [],
      writer: name,
    })),
  );
}

/** Tasks that a skill could serve, whether or not a home has one: to tell tasks from other prompts. */
export function tasksToFit(): string[] {
  const requests = readLines(new URL('../requests/fit/queries.jsonl', FOLDER));
  const ofSample = readLines(new URL('../../data/sample/requests.jsonl', FOLDER));
  return [
    ...requests.map((line) => (JSON.parse(line) as { text: string }).text),
    ...ofSample.map((line) => (JSON.parse(line) as { query: string }).query),
    ...promptsForSecondHome().flatMap(({ half, prompt }) => (half === 'fit' ? [prompt] : [])),
  ];
}

/** The prompts of `need-fit.jsonl` and `need-report.jsonl`, each with the skill that it was written for. */
export function promptsForSecondHome(): JudgedPrompt[] {
  return (['fit', 'report'] as const).flatMap((half) =>
    readLines(new URL(`need-${half}.jsonl`, FOLDER)).map((line) => {
      const { id, prompt } = JSON.parse(line) as { readonly id: string; readonly prompt: string };
      return { prompt, half, relevant: [id], language: 'en' };
    }),
  );
}

function readLines(file: URL): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

/** The prompts of `need.jsonl` in the folder of a home. */
export function promptsWithNeed(folder: string): JudgedPrompt[] {
  return readFileSync(join(folder, 'need.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JudgedPrompt);
}
