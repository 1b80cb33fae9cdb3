import { INDEXES } from './build-indexes.js';
import { describeKeywordIndex } from './keyword-index-contract.js';

for (const [name, build] of INDEXES) describeKeywordIndex(name, build);
