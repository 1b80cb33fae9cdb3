import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JudgedPrompt } from './prompt-files.js';
import { promptsForSecondHome } from './prompt-files.js';
import { readRows } from './read-rows.js';

const IDS = new URL('second-home.txt', import.meta.url);

/**
 * Makes another home of 1,000 skills, drawn by chance: those of `second-home.txt`. Readers were shown some of them, and
 * wrote for each what somebody says who needs it. Writes `home.jsonl` and `need.jsonl`.
 *
 * @param catalogue JSON Lines, packed with gzip where the name says so
 */
export async function makeSecondHome(catalogue: string, folder: string): Promise<void> {
  const rows = await readRows(catalogue);
  const ids = readFileSync(IDS, 'utf8').trim().split('\n');
  writeFileSync(join(folder, 'home.jsonl'), ids.map((id) => `${rows.get(id)}\n`).join(''));
  const prompts: readonly JudgedPrompt[] = promptsForSecondHome();
  writeFileSync(join(folder, 'need.jsonl'), prompts.map((prompt) => `${JSON.stringify(prompt)}\n`).join(''));
}
