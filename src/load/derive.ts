import { SkillSearchError } from '../core/index.js';
import { classifyCatalogue, embedCatalogue } from '../indexing/index.js';
import { BUNDLED_MODEL, type ChosenModel, modelName } from '../semantic/index.js';
import type { EmbeddingSink, LoadLabels } from '../store/writing.js';
import type { BuildOptions } from './load-options.js';
import type { ReportBuilder } from './reports.js';

/**
 * Makes the vectors that are missing; without a model none. The model runtime is optional: without it, a load that did
 * not ask for vectors explicitly only warns.
 *
 * @returns how many vectors were made
 * @throws as {@link embedCatalogue}
 */
export async function embedOrWarn(
  sink: EmbeddingSink,
  model: ChosenModel | undefined,
  report: ReportBuilder,
  { semantic, signal }: Pick<BuildOptions, 'semantic' | 'signal'>,
): Promise<number> {
  if (model === undefined) return 0;
  try {
    const onProgress = (done: number, total: number): void => report.tell('embedding', { done, total });
    return await embedCatalogue(sink, model, { signal, onProgress });
  } catch (error) {
    const isMissing = error instanceof SkillSearchError && error.code === 'MODEL_RUNTIME_MISSING';
    if (!isMissing || semantic === true || model.named) throw error;
    report.warn({ origin: 'vectors', message: `none were made: ${error.message}` });
    return 0;
  }
}

/**
 * Refuses to classify by vectors of another model than the classifier's.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`
 */
export async function checkClassify(
  { classify }: Pick<BuildOptions, 'classify'>,
  model: ChosenModel | undefined,
): Promise<void> {
  if (classify !== true || model === undefined) return;
  const { readClassifier } = await import('../semantic/classifier.js');
  const expected = readClassifier().model;
  if (model.id === expected) return;
  const message = `classify: expected the bundled model (${expected}), whose vectors the classifier reads, got ${model.id}`;
  throw new SkillSearchError('INVALID_OPTION', message);
}

/** Whether a small change can leave the catalogue as classified, or not classified, as the options want it. */
export async function canClassifyInPlace(
  labels: LoadLabels,
  { classify }: Pick<BuildOptions, 'classify'>,
): Promise<boolean> {
  const isClassified = labels.rules !== undefined;
  if (classify !== undefined && classify !== isClassified) return false;
  if (!isClassified) return true;
  const { readClassifier } = await import('../semantic/classifier.js');
  return labels.rules === readClassifier().rules;
}

/**
 * Gives categories to skills that have none: if the options ask for it, or if they say nothing of it and the catalogue
 * is classified already. Without vectors of the classifier's model this only warns.
 *
 * @param model of this load, if it makes vectors
 * @returns how many skills got categories
 * @throws the signal's reason when aborted
 */
export async function classifyOrWarn(
  labels: LoadLabels,
  model: ChosenModel | undefined,
  report: ReportBuilder,
  { classify, signal }: Pick<BuildOptions, 'classify' | 'signal'>,
): Promise<number> {
  if (classify === false) {
    labels.forgetAll();
    return 0;
  }
  if (classify === undefined && labels.rules === undefined) return 0;
  // A load that does not classify need not read the weights.
  const { readClassifier } = await import('../semantic/classifier.js');
  const classifier = readClassifier();
  const warn = (message: string): void => report.warn({ origin: 'categories', message });
  // Vectors of a model that is being replaced are there until the load ends.
  const isReplaced = model !== undefined && model.id !== classifier.model;
  if (isReplaced || !labels.hasVectorsOf(classifier.model)) {
    warn(`no skill was classified: that needs vectors of the model ${classifier.model}, and the catalogue has none`);
    return 0;
  }
  const { labelled, withoutVector } = await classifyCatalogue(labels, classifier, signal);
  if (withoutVector === 1) warn('1 skill was not classified, because it has no vector');
  if (withoutVector > 1) warn(`${withoutVector} skills were not classified, because they have no vector`);
  return labelled;
}

/**
 * Refuses to replace vectors of the caller's own model only because the caller forgot to name it. Those of an earlier
 * version of the bundled model are replaced without asking, also if that had another name.
 *
 * @param present id of the model whose vectors the catalogue has
 * @throws {SkillSearchError} `MODEL_MISMATCH`
 */
export function checkModel(present: string | undefined, chosen: ChosenModel | undefined, database: string): void {
  if (present === undefined || chosen === undefined || chosen.named) return;
  if (modelName(present) === modelName(chosen.id) || chosen.compatible.includes(present)) return;
  const message = `${database} has vectors of the model ${present}, and the one that would be used now is ${chosen.id}: name that model to go on with it, or ${BUNDLED_MODEL} to embed everything again, or load without vectors`;
  throw new SkillSearchError('MODEL_MISMATCH', message, { path: database });
}
