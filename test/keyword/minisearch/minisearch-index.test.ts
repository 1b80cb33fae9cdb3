import { MiniSearchIndex } from '../../../src/keyword/minisearch/minisearch-index.js';
import { describeKeywordIndex } from '../keyword-index-contract.js';

describeKeywordIndex('MiniSearchIndex', (documents) => MiniSearchIndex.build(documents));
