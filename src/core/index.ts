// A file whose exports are all for other modules is passed on as it is.
export * from './addresses.js';
export * from './arrays/array-file.js';
export {
  type ArrayFileIdentity,
  arraysOf,
  type FileRules,
  LITTLE_ENDIAN,
  memoryOf,
  type StatedSizes,
} from './arrays/array-file-header.js';
export * from './arrays/growing-array.js';
export { type Comparator, countingSort, leapTo, lowerBound, lowerBoundBy, Members, topOf } from './arrays/sorted.js';
export * from './check-arguments.js';
export * from './config-file.js';
export * from './data.js';
export * from './errors.js';
export * from './files.js';
export * from './limits.js';
export * from './numbers.js';
export * from './promises.js';
export {
  foldAccents,
  foldCase,
  isUnspacedTerm,
  mapNormalised,
  normaliseText,
  sameAccents,
  UNSPACED_CHARACTER,
  UNSPACED_SCRIPTS,
} from './text/characters.js';
export { functionWords, isFunctionWord, isListedLanguage, japaneseFunctionPairs } from './text/function-words.js';
export * from './text/gloss.js';
export { beginningsOf, FNV_BASIS, FNV_PRIME, fnv1a, nameKey, stemOf, typedNameKey } from './text/keys.js';
export { languageOf, languageOfTokens, textLanguage } from './text/language-of.js';
export * from './text/request.js';
export {
  isPartKind,
  MAX_TERM_LENGTH,
  plainTerm,
  readWords,
  type Token,
  typedWord,
  visitWords,
  WORD_RULES,
  type WordVisitor,
} from './text/words.js';
export * from './texts.js';
export * from './threads/jobs.js';
export * from './threads/turns.js';
export { type ReadTokenizer, readTokenizer, readWordPieces, type Tokenizer } from './tokenizer.js';
export * from './usage-log.js';
export * from './user-folders.js';
