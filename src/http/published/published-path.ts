/** What a path below `/.well-known/` asks for. */
export type PublishedPath = {
  /** Of the skill whose page is at the beginning of the path; undefined for all that are published. */
  readonly ids: readonly string[] | undefined;
} & (
  | { readonly kind: 'index' }
  | { readonly kind: 'legacy-index' }
  | { readonly kind: 'archive'; readonly name: string }
  | { readonly kind: 'skill-md'; readonly name: string }
  | { readonly kind: 'file'; readonly name: string; readonly path: string }
);

/** Below the address of the service, or of the page of a skill. */
const WELL_KNOWN = /^(?:\/skills\/(?<id>[^/]+))?\/\.well-known\/(?:(?<current>agent-skills)|skills)\/(?<rest>.+)$/;

/** The index of version 0.2.0, and that of version 0.1.0. */
export const INDEX_PATHS = {
  current: '/.well-known/agent-skills/index.json',
  legacy: '/.well-known/skills/index.json',
} as const;

/** @returns undefined if nothing can be published at this path */
export function readPublishedPath(path: string): PublishedPath | undefined {
  const { id, current, rest = '' } = WELL_KNOWN.exec(path)?.groups ?? {};
  if (rest === '') return undefined;
  const ids = id === undefined ? undefined : idsIn(id);
  if (ids?.length === 0) return undefined;
  if (rest === 'index.json') return { ids, kind: current === undefined ? 'legacy-index' : 'index' };
  if (current !== undefined) {
    const [, name = '', what] = /^([a-z0-9-]+)(\.tar\.gz|\/SKILL\.md)$/.exec(rest) ?? [];
    return name === '' ? undefined : { ids, kind: what === '.tar.gz' ? 'archive' : 'skill-md', name };
  }
  const slash = rest.indexOf('/');
  const file = slash === -1 ? undefined : decoded(rest.slice(slash + 1));
  return file === undefined ? undefined : { ids, kind: 'file', name: rest.slice(0, slash), path: file };
}

/**
 * The ids that a segment may mean. `npx skills find` shows `<address>@<name>`, which people give to `npx skills add`.
 */
function idsIn(segment: string): readonly string[] {
  const whole = decoded(segment);
  if (whole === undefined) return [];
  const at = whole.lastIndexOf('@');
  return at > 0 ? [whole, whole.slice(0, at)] : [whole];
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
