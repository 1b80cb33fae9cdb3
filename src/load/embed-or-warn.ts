import { SkillSearchError } from '../core/index.js';
import type { VectorExchange } from '../indexing/index.js';
import { embedCatalogue, takeVectors } from '../indexing/index.js';
import type { ChosenModel } from '../semantic/index.js';
import type { EmbeddingSink, LoadVectors } from '../store/index.js';
import type { BuildOptions } from './load-options.js';
import type { LoadWarning } from './load-report.js';
import type { Progress } from './progress.js';

/**
 * Makes the vectors that are missing. Without a model it makes none, but takes those that others have made for a shared
 * catalogue. The model runtime is optional: without it, a load that did not ask for vectors explicitly only warns.
 *
 * @returns how many vectors were made
 * @throws as {@link embedCatalogue}
 */
export async function embedOrWarn(
  sink: EmbeddingSink & Pick<LoadVectors, 'modelBefore'>,
  model: ChosenModel | undefined,
  warnings: LoadWarning[],
  { semantic, signal }: Pick<BuildOptions, 'semantic' | 'signal'>,
  progress: Progress,
  exchange: VectorExchange | undefined,
): Promise<number> {
  if (model === undefined) {
    const { modelBefore } = sink;
    if (exchange !== undefined && modelBefore !== undefined) await takeVectors(sink, modelBefore, exchange, signal);
    return 0;
  }
  try {
    const onProgress = (done: number, total: number): void => progress.report('embedding', { done, total });
    return await embedCatalogue(sink, model, { signal, onProgress, exchange });
  } catch (error) {
    const isMissing = error instanceof SkillSearchError && error.code === 'MODEL_RUNTIME_MISSING';
    if (!isMissing || semantic === true || model.named) throw error;
    warnings.push({ origin: 'vectors', message: `none were made: ${error.message}` });
    return 0;
  }
}
