import { existsSync } from 'node:fs';
import { type ChosenModel, chooseModel, resolveModelOptions } from '../semantic/index.js';
import { openForReading, VectorStatements } from '../store/index.js';
import { checkModel } from './check-model.js';
import type { BuildOptions } from './load-options.js';

/**
 * The model of loads that come later: what a load would check is checked now.
 *
 * @param database path of the catalogue, resolved; it need not exist
 * @returns undefined if no vectors are to be made
 * @throws {SkillSearchError} `INVALID_OPTION`, `MODEL_NOT_FOUND`, `MODEL_NOT_READABLE`, `MODEL_MISMATCH`, and those of
 *   opening a catalogue
 */
export async function chooseLoadModel(
  database: string,
  options: Pick<BuildOptions, 'model' | 'embedder' | 'semantic'>,
): Promise<ChosenModel | undefined> {
  const modelOptions = resolveModelOptions(options);
  if (options.semantic === false) return undefined;
  const model = await chooseModel(modelOptions);
  if (existsSync(database)) checkModel(presentModel(database), model, database);
  return model;
}

function presentModel(database: string): string | undefined {
  const connection = openForReading(database);
  try {
    return new VectorStatements(connection).models()[0];
  } finally {
    connection.close();
  }
}
