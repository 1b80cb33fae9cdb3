import type { Embedder } from './embedder.js';
import { LocalEmbedder } from './local-embedder.js';
import type { ModelFolder } from './model-folder.js';
import { RoutedEmbedder } from './routed-embedder.js';

/**
 * Loads the model of a folder. One for other languages that the folder has is loaded when a text needs it.
 *
 * @param threads how many texts may be embedded at the same time
 * @throws {SkillSearchError} `MODEL_RUNTIME_MISSING`, `MODEL_NOT_READABLE`
 */
export function startModel(folder: ModelFolder, threads: number): Promise<Embedder> {
  const { otherLanguages } = folder;
  if (otherLanguages === undefined) return LocalEmbedder.start(folder, threads);
  return RoutedEmbedder.start({ ...folder, otherLanguages }, threads);
}
