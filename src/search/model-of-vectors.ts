import { SkillSearchError } from '../core/index.js';
import { INSTALL_RUNTIME, isRuntimeInstalled, RUNTIME_PACKAGE } from '../semantic/index.js';
import type { VectorReader } from '../store/index.js';

/**
 * The id of the model that made the vectors of a catalogue.
 *
 * @param hasEmbedder whether the caller makes vectors without the model runtime
 * @throws {SkillSearchError} `NO_VECTORS`
 */
export function modelOfVectors({ model }: VectorReader, database = 'the catalogue', hasEmbedder = false): string {
  if (model !== undefined) return model;
  // A load without the runtime makes no vectors, and only warns.
  const isMissing = !hasEmbedder && !isRuntimeInstalled();
  const advice = isMissing
    ? `and the package ${RUNTIME_PACKAGE}, which makes them, is not installed: install it with \`${INSTALL_RUNTIME}\`, then load the sources again`
    : 'which semantic search needs: load its sources again with vectors (the load says so if it cannot make any)';
  throw new SkillSearchError('NO_VECTORS', `${database} has no vectors, ${advice}, or search by word`, {
    path: database,
  });
}
