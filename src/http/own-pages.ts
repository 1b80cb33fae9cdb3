import type { Call } from './call.js';

/**
 * Whether a request may come from our own pages. Browsers say where a request is from, and no page can change that.
 * Programs need not say anything.
 *
 * @param publicUrl by which clients reach the service
 */
export function mayBeFromOwnPage(call: Call, publicUrl: string): boolean {
  const site = call.header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin') return false;
  // Hosts only: behind a proxy that ends TLS, the scheme that we see is not the one that the browser sees.
  const hosts = [publicUrl, call.origin].map(hostOf);
  return ['origin', 'referer'].every((name) => {
    const from = call.header(name);
    return from === undefined || hosts.includes(hostOf(from) ?? '');
  });
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}
