/**
 * `owner/repository` for GitHub, where `npx skills add` looks for it. For other hosts the URL of the repository, so
 * that the client does not fetch a repository of the same name from GitHub. Empty if the URL is none of the web.
 */
export function sourceOf(codehostUrl: string): string {
  const url = URL.canParse(codehostUrl) ? new URL(codehostUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return '';
  const [repository = ''] = url.pathname.split(/\/(?:-\/)?(?:tree|blob)\//);
  const path = repository.replace(/^\/+|\/+$|\.git\/*$/g, '');
  return /^(?:www\.)?github\.com$/.test(url.hostname) ? path.split('/').slice(0, 2).join('/') : `${url.origin}/${path}`;
}
