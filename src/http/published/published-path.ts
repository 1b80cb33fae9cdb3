import { decodePart } from '../../core/index.js';
/** What a path below `/.well-known/` asks for. */
export type PublishedPath = {
  /** Of the skill whose page is at the beginning of the path; undefined for all that are published. */
  readonly id: string | undefined;
} & (
  | { readonly kind: 'index' }
  | { readonly kind: 'legacy-index' }
  | { readonly kind: 'archive'; readonly name: string }
  | { readonly kind: 'skill-md'; readonly name: string }
  | { readonly kind: 'file'; readonly name: string; readonly path: string }
);

/**
 * Below the address of the service, or of the page of a skill; behind that `@` and a name, because people give what
 * `npx skills find` shows, `<address>@<name>`, to `npx skills add`.
 */
const WELL_KNOWN =
  /^(?:\/skills\/(?<segment>[^/]+)(?:\/@[^/]*)?)?\/\.well-known\/(?:(?<current>agent-skills)|skills)\/(?<rest>.+)$/;

/** The index of version 0.2.0, and that of version 0.1.0. */
export const INDEX_PATHS = {
  current: '/.well-known/agent-skills/index.json',
  legacy: '/.well-known/skills/index.json',
} as const;

/** @returns undefined if nothing can be published at this path */
export function readPublishedPath(path: string): PublishedPath | undefined {
  const { segment, current, rest = '' } = WELL_KNOWN.exec(path)?.groups ?? {};
  if (rest === '') return undefined;
  const id = segment === undefined ? undefined : decodePart(segment);
  if (segment !== undefined && id === undefined) return undefined;
  if (rest === 'index.json') return { id, kind: current === undefined ? 'legacy-index' : 'index' };
  if (current !== undefined) {
    const [, name = '', what] = /^([a-z0-9-]+)(\.tar\.gz|\/SKILL\.md)$/.exec(rest) ?? [];
    return name === '' ? undefined : { id, kind: what === '.tar.gz' ? 'archive' : 'skill-md', name };
  }
  const slash = rest.indexOf('/');
  const file = slash === -1 ? undefined : decodePart(rest.slice(slash + 1));
  return file === undefined ? undefined : { id, kind: 'file', name: rest.slice(0, slash), path: file };
}
