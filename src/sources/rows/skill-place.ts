/** Where a skill is, told by its address. */
export interface UrlPlace {
  /** `owner/repo/path` of a repository on a code host, else host and path. */
  readonly place: string;
  /** Whether the address names a repository only, which may hold many skills. */
  readonly repositoryOnly: boolean;
}

/** The place that an address tells; undefined where it tells none. */
export function placeOfUrl(address: string): UrlPlace | undefined {
  const [, host = '', path = ''] = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]+)([^?#]*)/i.exec(address) ?? [];
  if (host === '') return undefined;
  const segments = path.split('/').filter(Boolean).map(decode);
  const repository = repositoryPlace(segments);
  if (repository === undefined) return { place: [host.toLowerCase(), ...segments].join('/'), repositoryOnly: false };
  return { place: [...repository.name, ...repository.path].join('/'), repositoryOnly: repository.path.length === 0 };
}

/** `owner/repo`, then `tree` or `blob` and a branch, then the path; GitLab puts `-` before `tree`. */
function repositoryPlace(segments: readonly string[]): { name: string[]; path: string[] } | undefined {
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

function decode(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
