import type { Classifier } from '../semantic/index.js';
import type { LabelledSkill, LabelSink } from '../store/index.js';

/** Skills between two writes, and two turns of the event loop: some ten milliseconds. */
const BATCH = 256;

/** What became of the skills without categories. */
export interface Classified {
  /** Skills that got at least one category. */
  readonly labelled: number;
  /** Skills that have no vector, and so were left out. */
  readonly withoutVector: number;
}

/**
 * Classifies the skills of a load that have no categories, and are not classified by these rules yet.
 *
 * @throws the signal's reason when aborted; what was found until then is kept
 */
export async function classifyCatalogue(
  sink: LabelSink,
  classifier: Pick<Classifier, 'rules' | 'model' | 'classify'>,
  signal?: AbortSignal,
): Promise<Classified> {
  const skills = sink.begin(classifier.rules);
  let [labelled, withoutVector] = [0, 0];
  for (let start = 0; start < skills.length; start += BATCH) {
    const batch: LabelledSkill[] = [];
    for (const number of skills.slice(start, start + BATCH)) {
      const item = sink.skillToLabel(number, classifier.model);
      if (item === undefined) continue;
      const { skill, hash, name, description, vector } = item;
      if (vector === undefined) {
        withoutVector += 1;
        continue;
      }
      const categories = classifier.classify(name, description, vector);
      if (categories.length > 0) labelled += 1;
      batch.push({ skill, hash, categories });
    }
    if (batch.length > 0) sink.putLabels(batch);
    await new Promise(setImmediate);
    signal?.throwIfAborted();
  }
  return { labelled, withoutVector };
}
