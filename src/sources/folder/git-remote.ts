import { decodePart } from '../../core/index.js';
/** The repository that a remote address names. */
export interface GitRemote {
  /** First segment of the path on the host: user, organisation or group. */
  readonly owner: string;
  /** Whole path on the host: `owner/repo`, with nested groups `group/subgroup/repo`. */
  readonly repository: string;
  /** `https://<host>/<repository>`; undefined if the host is only an alias in an SSH configuration. */
  readonly webUrl: string | undefined;
}

const MAX_ADDRESS = 2048;
const HOST = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i;
const SEGMENT = /^(?!\.{1,2}$)[\p{L}\p{N}._~+-]+$/u;

/**
 * Parses the address of a remote: `https://`, `http://`, `git://`, `ssh://` or `git@host:owner/repo.git`. Drops user
 * names and passwords.
 *
 * @returns undefined for a local path, and whatever else names no repository on a host
 */
export function parseRemote(address: string): GitRemote | undefined {
  if (address.length > MAX_ADDRESS) return undefined;
  const found = parseUrl(address.trim()) ?? parseScpLike(address.trim());
  if (found === undefined) return undefined;

  const segments = found.path
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/i, '')
    .split('/');
  const [owner] = segments;
  const [hostname = ''] = found.host.split(':');
  if (owner === undefined || segments.length < 2 || !HOST.test(hostname)) return undefined;
  if (!segments.every((segment) => SEGMENT.test(segment))) return undefined;

  const repository = segments.join('/');
  return { owner, repository, webUrl: hostname.includes('.') ? `https://${found.host}/${repository}` : undefined };
}

interface Address {
  /** With the port of a web address. */
  readonly host: string;
  readonly path: string;
}

function parseUrl(address: string): Address | undefined {
  const [, scheme = '', authority = '', path = ''] =
    /^(https?|git|ssh|git\+ssh|git\+https):\/\/([^/?#]+)\/([^?#]+)/i.exec(address) ?? [];
  if (scheme === '') return undefined;
  const host = authority.slice(authority.lastIndexOf('@') + 1).toLowerCase();
  const isWeb = /^(?:git\+)?https$/i.test(scheme);
  return { host: isWeb ? host.replace(/:443$/, '') : host.replace(/:\d*$/, ''), path: decodePart(path) ?? path };
}

/** Parses `git@host:owner/repo.git`. A single letter before the colon is a Windows drive. */
function parseScpLike(address: string): Address | undefined {
  const [, host = '', path = ''] = /^(?:[^@/\s]+@)?([^:/\s@]{2,}):(?!\/\/)([^\s]+)$/.exec(address) ?? [];
  return host === '' || /^file$/i.test(host) ? undefined : { host: host.toLowerCase(), path };
}
