import { decodePart } from './decode-part.js';
/** Where a repository is, by the URL of the repository or of something in it. */
export interface RepositorySource {
  /** What git clones, with `.git` at its end. */
  readonly cloneUrl: string;
  /** `owner/repository` on GitHub; undefined on other hosts. */
  readonly github: string | undefined;
  /** Branch, tag or commit that the URL names. Absent for none and for `HEAD`. */
  readonly ref?: string;
  /** The folder in the repository that the URL names, without a slash at either end; absent if it names none. */
  readonly folder?: string;
}

/** What stands between a repository and a path in it: on GitHub, GitLab, Gitea and Forgejo, Bitbucket. */
const IN_REPOSITORY =
  /^(?<repository>.+?\/.+?)\/(?:-\/)?(?:tree|blob|src(?:\/(?:branch|tag|commit))?|raw)\/(?<rest>.*)$/;

/** @returns undefined if the URL is none of the web, or names no repository */
export function repositoryOf(codehostUrl: string): RepositorySource | undefined {
  const url = URL.canParse(codehostUrl) ? new URL(codehostUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  const path = url.pathname.replace(/^\/+|\/+$/g, '');
  const { repository = path, rest = '' } = IN_REPOSITORY.exec(path)?.groups ?? {};
  const isGithub = /^(?:www\.)?github\.com$/.test(url.hostname);
  const whole = repository.replace(/(?:\.git)?\/*$/, '');
  const name = isGithub ? whole.split('/').slice(0, 2).join('/') : whole;
  if (name === '') return undefined;
  const [ref = '', ...folders] = rest.split('/').map((segment) => decodePart(segment) ?? segment);
  const folder = folders.join('/').replace(/(?:^|\/)SKILL\.md$/i, '');
  return {
    cloneUrl: `${isGithub ? 'https://github.com' : url.origin}/${name}.git`,
    github: isGithub ? name : undefined,
    ...(ref === '' || ref === 'HEAD' ? {} : { ref }),
    ...(folder === '' ? {} : { folder }),
  };
}

/**
 * What `npx skills add` takes: `owner/repository` for GitHub, where it looks for it; for other hosts the address that
 * git clones, with `.git`: without, it would be asked for a list of skills. Empty if the URL is none of the web.
 */
export function sourceOf(codehostUrl: string): string {
  const found = repositoryOf(codehostUrl);
  return found?.github ?? found?.cloneUrl ?? '';
}
