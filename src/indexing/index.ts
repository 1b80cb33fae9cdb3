export { embedCatalogue, takeVectors } from './embed-catalogue.js';
export { indexKeywords } from './index-keywords.js';
export { type IndexingWarning, indexOrWarn } from './index-or-warn.js';
export { indexVectors } from './index-vectors.js';
export { indexWhenDue } from './index-when-due.js';
export { documentsOf, toDocument } from './keyword-documents.js';
export {
  isCurrentKeywordFile,
  isWholeKeywordFile,
  type OpenKeywordFile,
  openKeywordFile,
  stampOfKeywordFile,
} from './keyword-file.js';
export type { VectorExchange } from './vector-exchange.js';
export { wordsAreDue } from './words-are-due.js';
