export {
  decodePart,
  isCatalogueAddress,
  isPostgresAddress,
  isSnapshotAddress,
  repositoryOf,
  sourceOf,
  splitHosts,
  tellWhileWaiting,
} from './addresses.js';
export {
  ALL_IN_MEMORY,
  DamagedArrayFileError,
  type ExpectedFile,
  isCurrentArrayFile,
  openArrayFile,
  PagedArrayFile,
  type Pager,
  partOf,
  readArrayFile,
  writeArrayFile,
  writeArrayFilePart,
} from './arrays/array-file.js';
export type { ArrayFileIdentity, FileRules, StatedSizes } from './arrays/array-file-header.js';
export { arraysOf, LITTLE_ENDIAN, memoryOf } from './arrays/array-file-header.js';
export {
  appendTo,
  countBits,
  countBitsByFour,
  GrowingBytes,
  GrowingUint32,
  kthLargest,
  LargestValues,
} from './arrays/growing-array.js';
export { type Comparator, countingSort, leapTo, lowerBound, lowerBoundBy, Members, topOf } from './arrays/sorted.js';
export {
  type Argument,
  checkAtLeast,
  checkChoice,
  checkDatabase,
  checkFlag,
  checkIds,
  checkInteger,
  checkListener,
  checkNames,
  checkNotShared,
  checkNumber,
  checkOptions,
  checkPath,
  checkRows,
  checkSearched,
  checkSignal,
  checkText,
  describeValue,
  invalidArgument,
  isIterable,
  type Names,
  NO_FILE,
  namesOf,
  nearestName,
  optionOf,
  parameterOf,
  refuseAddress,
  refuseOption,
  refuseShared,
} from './check-arguments.js';
export {
  backUp,
  backupPathFor,
  ConfigFault,
  type ConfigFile,
  deleteConfigFile,
  isUnchanged,
  readConfigFile,
  reasonOf,
  writeConfigFile,
} from './config-file.js';
export { dataFile } from './data.js';
export {
  ERROR_CODES,
  type ErrorCode,
  type ErrorMessage,
  errorOf,
  isBusy,
  isDamage,
  isKnownOutage,
  isWithoutMeaning,
  messageOf,
  noteOutage,
  SkillSearchError,
} from './errors.js';
export {
  clearUnfinished,
  isAlive,
  isInside,
  makeFolder,
  missingFolders,
  realPathOrSelf,
  resolveDatabase,
  syncToDisk,
  unfinishedFor,
} from './files.js';
export {
  MAX_CHANGED_IN_PLACE,
  MAX_CONTENT_BYTES,
  MAX_CONTENT_FILES,
  MAX_DESCRIPTION,
  MAX_FILE_BYTES,
  MAX_FILTER_TIME,
  MAX_ID,
  MAX_KEYWORD_QUERY_LENGTH,
  MAX_LIMIT,
  MAX_LISTED,
  MAX_LONGEST_WAIT,
  MAX_NAME,
  MAX_PAGE,
  MAX_SEMANTIC_LIMIT,
  MAX_SEMANTIC_QUERY_LENGTH,
} from './limits.js';
export type { DocumentNumber, SkillNumber, TermNumber, VectorNumber, VectorPlace } from './numbers.js';
export { anyOf, OneAtATime, readAhead, untilAborted } from './promises.js';
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
export { beginningsOf, FNV_BASIS, FNV_PRIME, fnv1a, nameKey, stemOf, typedNameKey } from './text/keys.js';
export { languageOf, languageOfTokens, textLanguage } from './text/language-of.js';
export { requestIn } from './text/request.js';
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
export {
  authorKey,
  cleanLine,
  compareCodePoints,
  countCodePoints,
  hasSkillNameForm,
  installationKey,
  isObject,
  isSkillName,
  LONGEST_SKILL_NAME,
  licenseKey,
  partsOfInstallation,
  readTime,
  splitFrontMatter,
  trimWhiteSpace,
} from './texts.js';
export { inNativeCode, type Job, jobInThread, RequestQueue, runJob, startWorker } from './threads/jobs.js';
export { allPieces, giveWay, inTurns, nextTurn, type Pieces } from './threads/turns.js';
export type { Tokenizer } from './tokenizer.js';
export { type ReadTokenizer, readTokenizer, readWordPieces } from './tokenizer.js';
export {
  appendUsage,
  isUsageOff,
  MOST_USAGE_LINES,
  packVector,
  readUsage,
  readUsageFile,
  type UsageEntry,
  type UsageMark,
  usageFile,
  usageSession,
} from './usage-log.js';
export {
  folderOf,
  joinPaths,
  nearestCatalogue,
  PROJECT_FOLDER,
  projectCatalogue,
  projectCatalogues,
  projectLevels,
  type Surroundings,
  surroundings,
  type UserFolders,
  userCatalogue,
  userFolders,
} from './user-folders.js';
