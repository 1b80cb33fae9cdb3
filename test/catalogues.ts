import { buildCatalogue, type OpenOptions, openSkillSearch, type SkillSearch } from '../src/index.js';
import { closing, scratchFile } from './scratch-folder.js';

/** The file of a catalogue of these rows, with vectors if there is an embedder; gone when the test ends. */
export async function catalogueOf(rows: readonly unknown[], embedder?: OpenOptions['embedder']): Promise<string> {
  const database = scratchFile('skills.db');
  const vectors = embedder === undefined ? { semantic: false } : { embedder };
  await buildCatalogue({ database, sources: [{ name: 'rows', rows }], ...vectors });
  return database;
}

/** A search that is closed when the test ends. */
export async function opened(options: OpenOptions): Promise<SkillSearch> {
  return closing(await openSkillSearch(options));
}
