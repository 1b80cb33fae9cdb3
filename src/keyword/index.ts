export { FIELD_WEIGHTS } from './bm25.js';
export { collectKeywords, DocumentCollector } from './build/collect-keywords.js';
export { type KeywordPart, mergeKeywords, unchangedDocuments } from './build/merge-keywords.js';
export { completeWord } from './complete-word.js';
export { type AskedWords, askedWords, type FileMatches, makeSnippet, matchedTerms, matchFiles } from './explain.js';
export type {
  DocumentSource,
  KeywordDocument,
  KeywordIndex,
  KeywordMatches,
  RankedDocuments,
  ScoredDocuments,
  TermMatcher,
} from './keyword-index.js';
export { PackedIndex } from './packed/packed-index.js';
export type { PackedKeywords } from './packed-keywords.js';
export { GONE, hashOfKey } from './packed-keywords.js';
export { packedRules } from './packed-rules.js';
export { type Question, readQuestion, readStopWords } from './question.js';
export { RecoveringIndex } from './recovering-index.js';
export { STOP_WORDS, type StopWords, stopWordsOf } from './stop-words.js';
export { Work } from './work.js';
