export { BUNDLED_MODEL, type ChosenModel, chooseModel, inspectModel, modelName } from './choose-model.js';
export type { Classifier } from './classifier.js';
export * from './embedder.js';
export type { ModelFolder } from './model-folder.js';
export {
  areWholeVectorFiles,
  buildVectorFiles,
  removeVectorFiles,
  stampOfVectorFile,
  type VectorLinks,
  vectorFilesAreCurrent,
} from './nearest/vector-files.js';
export type { VectorIndex } from './nearest/vector-index.js';
export type { LocalModel } from './routed-embedder.js';
export type { ModelSettings, Pooling } from './settings.js';
export * from './skill-texts.js';
