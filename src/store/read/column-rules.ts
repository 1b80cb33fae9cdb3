import type { FileRules, StatedSizes } from '../../arrays/array-rules.js';
import { LATE_LABELS } from './columns.js';

/**
 * What the arrays of `PackedColumns` in a file must keep to: as many values as there are documents, and no number of a
 * document beyond the last.
 *
 * @param prefix path of the columns in the file, with a dot behind it
 * @param size number of documents
 * @param needsAll whether a file of an earlier version, which lacks labels, is refused
 */
export function columnRules(prefix: string, { lengthOf }: StatedSizes, size: number, needsAll: boolean): FileRules {
  const values = { type: 'Float64Array', length: size } as const;
  // Absent from files of catalogues without checksums.
  const hasDamaged = !Number.isNaN(lengthOf(`${prefix}damaged`));
  const late = LATE_LABELS.map((name) => `${prefix}${name}.`).filter(
    (labels) => needsAll || !Number.isNaN(lengthOf(`${labels}documents`)),
  );
  const authorNames = `${prefix}authors.names`;
  const hasNames = needsAll || !Number.isNaN(lengthOf(authorNames));
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
      ...(hasDamaged ? { [`${prefix}damaged`]: { type: 'Uint32Array', below: size } as const } : {}),
      ...labelRules(`${prefix}categories.`, lengthOf, size),
      ...labelRules(`${prefix}occupations.`, lengthOf, size),
      ...Object.assign({}, ...late.map((labels) => labelRules(labels, lengthOf, size))),
      ...(hasNames ? { [authorNames]: { type: 'Uint8Array' } as const } : {}),
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
