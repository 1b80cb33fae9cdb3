/** A figure to reach. */
export interface Bar {
  readonly what: string;
  readonly toReach: string;
  readonly measured: string;
  /** Undefined where it was not measured in this run. */
  readonly reached: boolean | undefined;
}

/** @param most what the figure may be at most */
export function atMost(what: string, figure: number, most: number, unit: string, more = ''): Bar {
  return {
    what,
    toReach: `<= ${most}${unit}`,
    measured: `${round(figure)}${unit}${more}`,
    reached: figure <= most,
  };
}

/** @param least what the figure must be at least */
export function atLeast(what: string, figure: number, least: number, unit: string, more = ''): Bar {
  return {
    what,
    toReach: `>= ${least}${unit}`,
    measured: `${round(figure)}${unit}${more}`,
    reached: figure >= least,
  };
}

/** Three digits that count. */
export function round(figure: number): string {
  if (!Number.isFinite(figure)) return '-';
  const digits = figure === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(figure))));
  return figure.toFixed(Math.min(digits, 3));
}
