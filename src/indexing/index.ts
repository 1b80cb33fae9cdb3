export { classifyCatalogue, embedCatalogue } from './embed-catalogue.js';
export { indexKeywords } from './index-keywords.js';
export { type IndexOrWarnOptions, indexOrWarn, indexVectors, indexWhenDue, wordsAreDue } from './index-or-warn.js';
export {
  documentsOf,
  isCurrentKeywordFile,
  isWholeKeywordFile,
  type OpenKeywordFile,
  openKeywordFile,
  stampOfKeywordFile,
  toDocument,
} from './keyword-file.js';
