/** The least figure that a share of all figures is not above (nearest rank); 0 where there are none. */
export function quantile(figures: readonly number[], share: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

export function median(figures: readonly number[]): number {
  return quantile(figures, 0.5);
}
