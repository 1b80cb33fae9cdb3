import { withoutControls } from './clean-text.js';

/** Longest accepted address, in characters. */
const MAX_URL = 2048;

/** Schemes that lead to the reader's own machine, or run code when shown as a link. */
const REFUSED: ReadonlySet<string> = new Set(['file', 'javascript', 'data', 'vbscript', 'blob']);

/**
 * Makes an address fit to be shown to others: with a scheme, not a local path, without a password. Returns undefined if
 * the text is not such an address.
 */
export function toPublicUrl(text: string): string | undefined {
  const url = withoutControls(text);
  // One letter before the colon is a Windows drive.
  const [, scheme] = /^([a-z][a-z0-9+.-]+):\S/i.exec(url) ?? [];
  if (scheme === undefined || url.length > MAX_URL || REFUSED.has(scheme.toLowerCase())) return undefined;
  return url.replace(/^([a-z0-9+.-]+:\/\/)(?:[^/?#@]*@)+/i, (whole, start: string) =>
    /^https?:/i.test(start) || whole.includes(':', start.length) ? start : whole,
  );
}
