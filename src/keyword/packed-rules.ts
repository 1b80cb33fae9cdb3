import type { FileRules, StatedSizes } from '../core/index.js';
import { SCORED_FIELDS } from '../result.js';
import { FIELDS } from './keyword-index.js';
import { BLOCK } from './packed-keywords.js';
import { LETTER_GROUP_COUNT } from './term-dictionary.js';

/**
 * What the arrays of a `PackedKeywords` in a file must keep to: every value that is an index lies inside what it points
 * into. An index over such arrays reads nothing outside them and ends, whoever made the file.
 *
 * The order of strings, and of documents within a list, is not checked: without it, less is found.
 *
 * @param prefix path of the keywords in the file, with a dot behind it
 */
export function packedRules(prefix: string, { lengthOf, numberOf }: StatedSizes): FileRules {
  const at = (path: string): number => lengthOf(prefix + path);
  const size = numberOf(`${prefix}size`);
  const terms = at('dictionary.forms.starts') - 1;
  const lists = at('postings.listFields');
  const entries = at('postings.documents');
  const positionBytes = at('postings.positions');
  const longest = Math.floor(at('dictionary.groupStarts') / LETTER_GROUP_COUNT);
  const fields = SCORED_FIELDS.length;
  const uint32 = { type: 'Uint32Array' } as const;
  const uint8 = { type: 'Uint8Array' } as const;
  const arrays: FileRules['arrays'] = {
    'dictionary.forms.bytes': uint8,
    'dictionary.forms.starts': { ...uint32, risesTo: at('dictionary.forms.bytes') },
    'dictionary.accented.bytes': uint8,
    'dictionary.accented.starts': { ...uint32, risesTo: at('dictionary.accented.bytes') },
    'dictionary.accentedNumbers': { ...uint32, length: at('dictionary.accented.starts') - 1, below: terms },
    'dictionary.stems.bytes': uint8,
    'dictionary.stems.starts': { ...uint32, risesTo: at('dictionary.stems.bytes') },
    'dictionary.stemStarts': {
      ...uint32,
      length: at('dictionary.stems.starts'),
      risesTo: at('dictionary.stemTerms'),
    },
    'dictionary.stemTerms': { ...uint32, below: terms },
    'dictionary.byGroup': { ...uint32, below: terms },
    'dictionary.letters': { ...uint32, length: at('dictionary.byGroup') },
    'dictionary.groupStarts': {
      ...uint32,
      length: longest * LETTER_GROUP_COUNT + 1,
      risesTo: at('dictionary.byGroup'),
    },
    'postings.listStarts': { ...uint32, length: terms + 1, risesTo: lists },
    'postings.listFields': { ...uint8, below: FIELDS.length },
    'postings.entryStarts': { ...uint32, length: lists + 1, risesTo: entries },
    'postings.documents': { ...uint32, below: size },
    'postings.frequencies': { ...uint8, length: entries },
    'postings.manyEntries': { ...uint32, below: entries },
    // Each occurrence takes a byte or more.
    'postings.manyFrequencies': { ...uint32, length: at('postings.manyEntries'), below: positionBytes + 1 },
    'postings.positions': uint8,
    'postings.blockStarts': { ...uint32, length: Math.ceil(entries / BLOCK), below: positionBytes + 1 },
    // The description counts the terms of two fields.
    lengths: { ...uint32, length: size * fields, below: 2 * terms + 1 },
    totalLengths: { type: 'Float64Array', length: fields },
    greatestLengths: { ...uint32, length: fields, below: 2 * terms + 1 },
    ...nameTable('names', at, size),
    ...nameTable('beginnings', at, size),
    ...completionRules(at, terms, size),
    contentHashes: { ...uint32, length: at('contentHashes') === 0 ? 0 : 2 * size },
  };
  const entriesOf = Object.entries(arrays).map(([path, rule]) => [prefix + path, rule] as const);
  return { arrays: Object.fromEntries(entriesOf), numbers: [`${prefix}size`] };
}

function completionRules(lengthOf: (path: string) => number, terms: number, size: number): FileRules['arrays'] {
  const names = lengthOf('completions.nameCounts');
  return {
    'completions.terms': { type: 'Uint32Array', below: terms },
    'completions.termCounts': { type: 'Uint32Array', length: lengthOf('completions.terms'), below: size + 1 },
    'completions.names.bytes': { type: 'Uint8Array' },
    'completions.names.starts': {
      type: 'Uint32Array',
      length: names + 1,
      risesTo: lengthOf('completions.names.bytes'),
    },
    'completions.nameCounts': { type: 'Uint32Array', below: size + 1 },
    'completions.nameOf': { type: 'Uint32Array', length: size, below: names },
  };
}

function nameTable(path: string, lengthOf: (path: string) => number, size: number): FileRules['arrays'] {
  const length = lengthOf(`${path}.hashes`);
  return {
    [`${path}.hashes`]: { type: 'Uint32Array' },
    [`${path}.documents`]: { type: 'Uint32Array', length, below: size },
    [`${path}.checks`]: { type: 'Uint32Array', length },
  };
}
