export { FIELD_WEIGHTS, type FieldWeights } from './bm25.js';
export { collectKeywords, DocumentCollector } from './build/collect-keywords.js';
export type { KeywordPart } from './build/merge-keywords.js';
export { completeWord } from './completions.js';
export {
  type AskedWords,
  askedWords,
  type FileMatches,
  makeSnippet,
  matchedTerms,
  matchFiles,
  SNIPPET_LENGTH,
} from './explain.js';
export type {
  CompletionOptions,
  CountedText,
  DocumentScores,
  DocumentSource,
  KeywordDocument,
  KeywordIndex,
  KeywordMatches,
  RankedDocuments,
  ScoredDocuments,
  TermMatcher,
} from './keyword-index.js';
export type { DocumentChange, MemoryIndex } from './memory-index.js';
export { PackedIndex, RecoveringIndex } from './packed-index.js';
export { GONE, type PackedKeywords } from './packed-keywords.js';
export {
  type GlossQuestion,
  glossQuestion,
  MAX_QUESTION_WORDS,
  mayBeStopWord,
  type Question,
  type QuestionWord,
  readQuestion,
  readStopWords,
  STOP_WORDS,
  type StopWords,
  stopWordsOf,
} from './question.js';
export { correctQuestion, readAsked } from './read-asked.js';
export type { Segment } from './segments.js';
export { packedRules } from './segments.js';
export { isWithinEdits, unitsOf } from './term-dictionary.js';
export { Work } from './work.js';
