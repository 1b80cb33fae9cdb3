import { withoutControls } from './clean-text.js';

/** Longest address that is kept, in characters. */
const MAX_URL = 2048;

/** Schemes of addresses that lead to the reader's own machine, or run something where they are shown as a link. */
const REFUSED: ReadonlySet<string> = new Set(['file', 'javascript', 'data', 'vbscript', 'blob']);

/**
 * An address fit to be shown to others: it has a scheme, is no local path, and carries no password. Undefined where
 * the text is none such.
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
