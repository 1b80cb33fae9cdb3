export { anyOf, type JoinedSignal, untilAborted } from './abort.js';
export { allPieces, type Pieces } from './arrays/all-pieces.js';
export type { ArrayFileIdentity } from './arrays/array-file-header.js';
export type { FileRules, StatedSizes } from './arrays/array-rules.js';
export { arraysOf, memoryOf } from './arrays/array-tree.js';
export { LITTLE_ENDIAN } from './arrays/byte-order.js';
export { countBits, countBitsByFour } from './arrays/count-bits.js';
export { countingSort } from './arrays/counting-sort.js';
export { appendTo } from './arrays/group-by-key.js';
export { GrowingBytes, GrowingUint32 } from './arrays/growing-array.js';
export { kthLargest } from './arrays/kth-largest.js';
export { LargestValues } from './arrays/largest-values.js';
export { leapTo, lowerBound, lowerBoundBy } from './arrays/lower-bound.js';
export { Members } from './arrays/members.js';
export { type ExpectedFile, openArrayFile } from './arrays/open-array-file.js';
export { PagedArrayFile } from './arrays/paged-array-file.js';
export { ALL_IN_MEMORY, DamagedArrayFileError, type Pager } from './arrays/pager.js';
export { isCurrentArrayFile, readArrayFile } from './arrays/read-array-file.js';
export { type Comparator, topOf } from './arrays/top.js';
export { partOf, writeArrayFile, writeArrayFilePart } from './arrays/write-array-file.js';
export { authorKey } from './author-key.js';
export {
  type Argument,
  checkAtLeast,
  checkChoice,
  checkDatabase,
  checkFlag,
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
  optionOf,
  parameterOf,
  refuseAddress,
  refuseOption,
  refuseShared,
  resolveDatabase,
} from './check-arguments.js';
export { cleanLine } from './clean-line.js';
export { compareCodePoints } from './code-point-order.js';
export { ConfigFault, reasonOf } from './config-fault.js';
export {
  backUp,
  backupPathFor,
  type ConfigFile,
  deleteConfigFile,
  isUnchanged,
  lookAt,
  readConfigFile,
  writeConfigFile,
} from './config-file.js';
export { countCodePoints } from './count-code-points.js';
export { isCatalogueAddress, isPostgresAddress, isSnapshotAddress } from './database-address.js';
export { decodePart } from './decode-part.js';
export { type ErrorMessage, errorOf, messageOf } from './error-message.js';
export { ERROR_CODES, type ErrorCode, isBusy, isDamage, isWithoutMeaning, SkillSearchError } from './errors.js';
export { installationKey, partsOfInstallation } from './installation-key.js';
export {
  nearestCatalogue,
  PROJECT_FOLDER,
  projectCatalogue,
  projectCatalogues,
  userCatalogue,
} from './installed-catalogue.js';
export { isAlive } from './is-alive.js';
export { isInside } from './is-inside.js';
export { isObject } from './is-object.js';
export { isKnownOutage, noteOutage } from './known-outage.js';
export { licenseKey } from './license-key.js';
export {
  EXPLAINED_TEXT,
  FREE_UNPACKED_BYTES,
  GIT_ADDRESS_BYTES,
  GIT_HEAP_BYTES,
  GIT_REPOSITORY_SECONDS,
  GIT_SOURCE_SECONDS,
  HOOK_LIMITS,
  LOCAL_LIMITS,
  MAX_AGENT,
  MAX_CHANGED_IN_PLACE,
  MAX_CHUNK_BYTES,
  MAX_COMMIT_TIMES_BYTES,
  MAX_COMPATIBLE_MODELS,
  MAX_CONTENT_BYTES,
  MAX_CONTENT_FILES,
  MAX_CORRECTIONS,
  MAX_COUNTED_ADDRESSES,
  MAX_DESCRIPTION,
  MAX_DISTINCT_LABELS,
  MAX_FACET_VALUES,
  MAX_FILE_BYTES,
  MAX_FILE_CHECK_TIME,
  MAX_FILES,
  MAX_FILTER_TIME,
  MAX_FORGOTTEN,
  MAX_FRONT_MATTER_BYTES,
  MAX_GATHERED_EVENTS,
  MAX_GIT_FILE_BYTES,
  MAX_GIT_LIST_BYTES,
  MAX_GIT_OBJECT_FILES,
  MAX_ID,
  MAX_INSTALLATIONS,
  MAX_INSTALLED_AT_ONCE,
  MAX_INSTALLED_FOLDERS,
  MAX_JSON_DEPTH,
  MAX_KEY_NAME,
  MAX_KEYWORD_QUERY_LENGTH,
  MAX_LABEL,
  MAX_LABELS,
  MAX_LIMIT,
  MAX_LISTED,
  MAX_LISTED_PROBLEMS,
  MAX_LOADS_AGAIN,
  MAX_LOCATION,
  MAX_LOCK_ENTRIES,
  MAX_LOCK_FILE_BYTES,
  MAX_LOGGED_UNPUBLISHED,
  MAX_LONGEST_WAIT,
  MAX_MANIFEST_BYTES,
  MAX_MARKDOWN_DEPTH,
  MAX_MARKDOWN_HTML,
  MAX_MARKDOWN_WORK,
  MAX_METADATA_BYTES,
  MAX_MODEL_DIMENSIONS,
  MAX_MODEL_TOKENS,
  MAX_NAME,
  MAX_PACK_INDEX_BYTES,
  MAX_PAGE,
  MAX_PAGE_FILES,
  MAX_PAGE_LINES,
  MAX_PAGE_PARAMETERS,
  MAX_PAGE_TEXT,
  MAX_PAGE_VALUE,
  MAX_PLUGIN_LIST_BYTES,
  MAX_PLUGINS,
  MAX_POLL_INTERVAL,
  MAX_PREFIX_LENGTH,
  MAX_PUBLISHED_SKILLS,
  MAX_QUESTION_WORDS,
  MAX_RATIO,
  MAX_READING_TIME,
  MAX_REPEATED_BYTES,
  MAX_RESOURCE_BYTES,
  MAX_ROW_BYTES,
  MAX_ROW_VALUES,
  MAX_SEMANTIC_LIMIT,
  MAX_SEMANTIC_QUERY_LENGTH,
  MAX_SIMILAR,
  MAX_SKILL_BYTES,
  MAX_SKILL_ENTRIES,
  MAX_SNAPSHOT_BYTES,
  MAX_SNAPSHOT_CHECK_TIME,
  MAX_SPARED,
  MAX_SUGGESTIONS,
  MAX_SUPERSEDED,
  MAX_TOOL_TEXT,
  MAX_TOOL_TOKENS,
  MAX_UNINDEXED,
  MAX_UNPACKED_BYTES,
  MAX_UNREADABLE_ROWS,
  MAX_WALK_PROBLEMS,
  MAX_WATCH_WAIT,
  MAX_YAML_DEPTH,
  MAX_YAML_LENGTH,
  MAX_YAML_TOKENS,
  MCP_HTTP_LIMITS,
  MIN_MODEL_DIMENSIONS,
  MIN_POLL_INTERVAL,
  MIN_TOOL_TOKENS,
  POSTGRES_LIMITS,
  QUESTION_WORK,
  QUESTION_WORK_PER_SKILL,
  SERVER_LIMITS,
  SHARED_CATALOGUE_LIMITS,
  SNAPSHOT_RATE_LIMITS,
  STDIO_LIMITS,
  TOKEN_CACHE_WORDS,
} from './limits.js';
export { makeFolder, missingFolders } from './make-folder.js';
export { nearestName } from './nearest-name.js';
export type { DocumentNumber, SkillNumber, TermNumber, VectorNumber, VectorPlace } from './numbers.js';
export { projectLevels } from './project-levels.js';
export { readTime } from './read-time.js';
export { type ReadTokenizer, readTokenizer, readWordPieces } from './read-tokenizer.js';
export { realPathOrSelf } from './real-path-or-self.js';
export { hasSkillNameForm, isSkillName, LONGEST_SKILL_NAME } from './skill-name.js';
export { repositoryOf, sourceOf } from './source-of.js';
export { splitHosts } from './split-hosts.js';
export { syncToDisk } from './sync-to-disk.js';
export { tellWhileWaiting } from './tell-while-waiting.js';
export { foldAccents, foldCase, isUnspacedTerm, normaliseText, sameAccents } from './text/characters.js';
export { FNV_BASIS, FNV_PRIME, fnv1a } from './text/fnv1a.js';
export { functionWords, isFunctionWord, isListedLanguage } from './text/language/function-words.js';
export { japaneseFunctionPairs } from './text/language/japanese-function-pairs.js';
export { languageOf, languageOfTokens } from './text/language/language-of.js';
export { textLanguage } from './text/language/text-language.js';
export { beginningsOf } from './text/name-beginnings.js';
export { nameKey, typedNameKey } from './text/name-key.js';
export { mapNormalised } from './text/normalised-offsets.js';
export { stemOf } from './text/stem.js';
export { typedWord } from './text/typed-word.js';
export { UNSPACED_CHARACTER, UNSPACED_SCRIPTS } from './text/unspaced-scripts.js';
export { WORD_RULES } from './text/word-rules.js';
export {
  isPartKind,
  MAX_TERM_LENGTH,
  plainTerm,
  readWords,
  type Token,
  visitWords,
  type WordVisitor,
} from './text/words.js';
export { inTurns } from './threads/in-turns.js';
export { type Job, jobInThread } from './threads/job-in-thread.js';
export { inNativeCode } from './threads/native-work.js';
export { OneAtATime } from './threads/one-at-a-time.js';
export { RequestQueue } from './threads/request-queue.js';
export { runJob } from './threads/run-job.js';
export { startWorker } from './threads/start-worker.js';
export { giveWay, nextTurn } from './threads/turns.js';
export { parseToml, TomlError } from './toml.js';
export { trimWhiteSpace } from './trim-white-space.js';
export { clearUnfinished, unfinishedFor } from './unfinished-files.js';
export { folderOf, joinPaths, type Surroundings, surroundings, type UserFolders, userFolders } from './user-folders.js';
export type { Tokenizer } from './word-piece-tokenizer.js';
