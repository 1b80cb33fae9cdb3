import { type OpenOptions, openSkillSearch, type SkillSearch } from '../index.js';
import type { Output } from './output.js';
import { sayWaiting } from './say-waiting.js';
import { oneLine } from './terminal-text.js';

/** Opens a catalogue, and says on standard error what it waits for, and why answers from a local copy may be old. */
export async function openSearch(options: OpenOptions, output: Output): Promise<SkillSearch> {
  const search = await sayWaiting(options.database, output, openSkillSearch(options));
  for (const { message } of search.problems.warnings) output.error.write(`${oneLine(message)}\n`);
  return search;
}
