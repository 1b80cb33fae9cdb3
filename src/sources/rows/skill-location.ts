import { decodePart } from '../../core/index.js';
/** The location of a skill by its address. */
export interface UrlLocation {
  /** `owner/repo/path` in a repository on a code host, else host and path. */
  readonly location: string;
  /** Whether the address names a whole repository, which may hold many skills. */
  readonly isWholeRepository: boolean;
}

/** The location that an address names; undefined if it names none. */
export function locationOfUrl(address: string): UrlLocation | undefined {
  const [, host = '', path = ''] = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]+)([^?#]*)/i.exec(address) ?? [];
  if (host === '') return undefined;
  const segments = path
    .split('/')
    .filter(Boolean)
    .map((segment) => decodePart(segment) ?? segment);
  const repository = splitRepository(segments);
  if (repository === undefined) {
    return { location: [host.toLowerCase(), ...segments].join('/'), isWholeRepository: false };
  }
  const location = [...repository.name, ...repository.path].join('/');
  return { location, isWholeRepository: repository.path.length === 0 };
}

/** Splits `owner/repo/tree/branch/path`. Instead of `tree` it may be `blob`; GitLab has `-` before it. */
function splitRepository(segments: readonly string[]): { name: string[]; path: string[] } | undefined {
  const marker = segments.findIndex(
    (segment, at) => at >= 2 && (segment === 'tree' || segment === 'blob') && at < segments.length - 1,
  );
  const nested = marker > 2 && segments[marker - 1] === '-';
  if (marker !== 2 && !nested && segments.length !== 2) return undefined;

  const repository = marker === -1 ? [...segments] : segments.slice(0, nested ? marker - 1 : marker);
  const path = marker === -1 ? [] : segments.slice(marker + 2);
  if (/^skill\.md$/i.test(path.at(-1) ?? '')) path.pop();
  repository.push((repository.pop() ?? '').replace(/\.git$/i, ''));
  return { name: repository, path };
}
