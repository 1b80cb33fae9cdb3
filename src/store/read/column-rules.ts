import type { FileRules, StatedSizes } from '../../core/index.js';
import { LATE_LABELS } from './columns.js';

/**
 * What the arrays of `PackedColumns` in a file must keep to: as many values as there are documents, and no number of a
 * document beyond the last.
 *
 * @param prefix path of the columns in the file, with a dot behind it
 * @param size number of documents
 */
export function columnRules(prefix: string, { lengthOf }: StatedSizes, size: number): FileRules {
  const values = { type: 'Float64Array', length: size } as const;
  const documents = { type: 'Uint32Array', length: size, below: size } as const;
  return {
    numbers: [],
    arrays: {
      [`${prefix}skillNumbers`]: values,
      [`${prefix}stars`]: values,
      [`${prefix}updatedAt`]: values,
      [`${prefix}idRank`]: documents,
      [`${prefix}starRank`]: documents,
      [`${prefix}copyGroup`]: documents,
      [`${prefix}damaged`]: { type: 'Uint32Array', below: size },
      ...labelRules(`${prefix}categories.`, lengthOf, size),
      ...labelRules(`${prefix}occupations.`, lengthOf, size),
      ...Object.assign({}, ...LATE_LABELS.map((name) => labelRules(`${prefix}${name}.`, lengthOf, size))),
      [`${prefix}authors.names`]: { type: 'Uint8Array' },
    },
  };
}

function labelRules(prefix: string, lengthOf: StatedSizes['lengthOf'], size: number): FileRules['arrays'] {
  return {
    [`${prefix}slugs`]: { type: 'Uint8Array' },
    [`${prefix}starts`]: { type: 'Uint32Array', risesTo: lengthOf(`${prefix}documents`) },
    [`${prefix}documents`]: { type: 'Uint32Array', below: size },
  };
}
