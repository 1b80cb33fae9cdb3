import type { FacetCounts } from '../index.js';
import { grouped } from './grouped.js';
import type { Styles } from './styles.js';
import { oneLine } from './terminal-text.js';
import { fitColumns, pad } from './text-columns.js';
import { widthOf } from './text-width.js';

/** Values that are shown of a facet. `--json` has all. */
const VALUES_SHOWN = 10;

const MAX_VALUE = 48;

/** The counts of an answer as text: for each facet its name, and a line for each value. None without counts. */
export function facetLines(facets: FacetCounts | undefined, styles: Styles): string[] {
  return Object.entries(facets ?? {}).flatMap(([facet, counts]) => {
    const shown = counts.slice(0, VALUES_SHOWN);
    const values = shown.map(({ value }) => fitColumns(oneLine(value), MAX_VALUE));
    const numbers = shown.map(({ count }) => grouped(count));
    const [valueWidth, numberWidth] = [Math.max(0, ...values.map(widthOf)), Math.max(0, ...numbers.map(widthOf))];
    const left = counts.length - shown.length;
    return [
      '',
      styles.bold(facet),
      ...values.map((value, i) => `  ${pad(value, valueWidth)}  ${numbers[i]!.padStart(numberWidth)}`),
      ...(counts.length === 0 ? [`  ${styles.dim('none')}`] : []),
      ...(left === 0 ? [] : [`  ${styles.dim(`and ${left} more`)}`]),
    ];
  });
}
