/** Words of four letters and more, the one of most texts first. */
export function wordsByFrequency(texts: Iterable<string>): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const word of new Set(text.toLowerCase().match(/[a-z]{4,}/g))) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([word]) => word);
}
