/** Numbers in [0, 1); see `randomNumbers`. */
export type Random = () => number;

export function pick<T>(random: Random, items: readonly T[]): T {
  return items[Math.floor(random() * items.length)] as T;
}
