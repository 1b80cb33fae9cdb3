import type { Embedder } from './embedder.js';
import { LocalEmbedder } from './local-embedder.js';
import type { ModelFolder } from './model-folder.js';
import type { ModelThread } from './model-thread-handle.js';
import { RoutedEmbedder } from './routed-embedder.js';

/**
 * Loads the model of a folder. One for other languages that the folder has is loaded when a text needs it.
 *
 * @param threads how many texts may be embedded at the same time
 * @param first thread of this model that loads already
 * @throws {SkillSearchError} `MODEL_RUNTIME_MISSING`, `MODEL_NOT_READABLE`
 */
export function startModel(folder: ModelFolder, threads: number, first?: ModelThread): Promise<Embedder> {
  const { otherLanguages } = folder;
  if (otherLanguages === undefined) return LocalEmbedder.start(folder, threads, first);
  return RoutedEmbedder.start({ ...folder, otherLanguages }, threads, first);
}
