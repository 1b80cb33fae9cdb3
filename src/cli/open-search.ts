import { type OpenOptions, openSkillSearch, type SkillSearch } from '../index.js';
import type { Output } from './output.js';
import { oneLine } from './terminal-text.js';

/** Opens a catalogue, and says on standard error why its answers may be old: those of a snapshot's copy. */
export async function openSearch(options: OpenOptions, { error }: Output): Promise<SkillSearch> {
  const search = await openSkillSearch(options);
  for (const { message } of search.problems.warnings) error.write(`${oneLine(message)}\n`);
  return search;
}
