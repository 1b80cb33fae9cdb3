export { checkDimensions, embedChecked, readableShareChecked, readsLanguageChecked } from './check-vectors.js';
export { type ChosenModel, chooseModel } from './choose-model.js';
export type { Classifier } from './classify/classifier.js';
export { embeddedText, hashText } from './embedded-text.js';
export type { Embedder, EmbeddingPurpose, EmbedOptions } from './embedder.js';
export { LocalEmbedder, type LocalEmbedOptions, TEXTS_PER_THREAD } from './local-embedder.js';
export { BUNDLED_MODEL, inspectModel, type ModelFolder, modelName } from './model-folder.js';
export { type ModelOptions, resolveModelOptions } from './model-options.js';
export type { VectorSet } from './nearest/vector-codes.js';
export { headOfVectorFile, type VectorLinks } from './nearest/vector-file.js';
export {
  areWholeVectorFiles,
  buildVectorFiles,
  removeVectorFiles,
  vectorFilesAreCurrent,
} from './nearest/vector-files.js';
export { VectorIndex } from './nearest/vector-index.js';
export { RoutedEmbedder } from './routed-embedder.js';
export { INSTALL_RUNTIME, isRuntimeInstalled, RUNTIME_PACKAGE } from './runtime-package.js';
export { sentencesOf } from './sentences.js';
export type { ModelSettings, Pooling } from './settings/model-settings.js';
