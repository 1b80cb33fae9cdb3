/** A part of an address with its `%` sequences read; undefined where these are no UTF-8, or cut short. */
export function decodePart(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
