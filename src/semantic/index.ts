export { type ChosenModel, chooseModel, RoutedEmbedder } from './choose-model.js';
export type { Classifier } from './classifier.js';
export type { Embedder, EmbeddingPurpose, EmbedOptions } from './embedder.js';
export {
  checkDimensions,
  embedChecked,
  embeddedText,
  hashText,
  INSTALL_RUNTIME,
  isRuntimeInstalled,
  type ModelOptions,
  RUNTIME_PACKAGE,
  readableShareChecked,
  readsLanguageChecked,
  resolveModelOptions,
} from './embedder.js';
export { LocalEmbedder, type LocalEmbedOptions, TEXTS_PER_THREAD } from './local-embedder.js';
export { BUNDLED_MODEL, inspectModel, type ModelFolder, modelName } from './model-folder.js';
export type { VectorSet } from './nearest/vector-codes.js';
export {
  areWholeVectorFiles,
  buildVectorFiles,
  headOfVectorFile,
  removeVectorFiles,
  type VectorLinks,
  vectorFilesAreCurrent,
} from './nearest/vector-files.js';
export { VectorIndex } from './nearest/vector-index.js';
export { sentencesOf } from './sentences.js';
export type { ModelSettings, Pooling } from './settings.js';
