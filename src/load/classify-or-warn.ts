import { SkillSearchError } from '../core/index.js';
import type { ChosenModel } from '../semantic/index.js';
import type { LoadLabels } from '../store/index.js';
import type { BuildOptions } from './load-options.js';
import type { LoadWarning } from './load-report.js';

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
  warnings: LoadWarning[],
  { classify, signal }: Pick<BuildOptions, 'classify' | 'signal'>,
): Promise<number> {
  if (classify === false) {
    labels.forgetAll();
    return 0;
  }
  if (classify === undefined && labels.rules === undefined) return 0;
  // A load that does not classify need not read the weights.
  const [{ readClassifier }, { classifyCatalogue }] = await Promise.all([
    import('../semantic/classifier.js'),
    import('../indexing/classify-catalogue.js'),
  ]);
  const classifier = readClassifier();
  const warn = (message: string): unknown => warnings.push({ origin: 'categories', message });
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
