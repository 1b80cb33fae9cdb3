export { FIELD_WEIGHTS } from './bm25.js';
export { completeWord } from './complete-word.js';
export { type AskedWords, askedWords } from './explain/asked-words.js';
export { type FileMatches, matchFiles } from './explain/file-matches.js';
export { matchedTerms } from './explain/matched-terms.js';
export { makeSnippet } from './explain/snippet.js';
export type {
  DocumentSource,
  KeywordDocument,
  KeywordIndex,
  KeywordMatches,
  RankedDocuments,
  ScoredDocuments,
  TermMatcher,
} from './keyword-index.js';
export { collectKeywords, DocumentCollector } from './packed/build/collect-keywords.js';
export { DROPPED } from './packed/build/dropped.js';
export { type KeywordPart, mergeKeywords } from './packed/build/merge-keywords.js';
export { RecoveringIndex } from './packed/build/recovering-index.js';
export { unchangedDocuments } from './packed/build/unchanged-documents.js';
export { hashOfKey } from './packed/key-hash.js';
export { PackedIndex } from './packed/packed-index.js';
export type { PackedKeywords } from './packed/packed-keywords.js';
export { packedRules } from './packed/packed-rules.js';
export { type Question, readQuestion } from './question.js';
export { readStopWords } from './read-stop-words.js';
export { STOP_WORDS, type StopWords, stopWordsOf } from './stop-words.js';
export { Work } from './work.js';
