import { orUndefined } from './errors.js';

/** Whether what names a catalogue is the address of a snapshot's manifest, and not the path of a file. */
export function isSnapshotAddress(database: unknown): database is string {
  return typeof database === 'string' && /^https?:\/\//i.test(database);
}

/** Whether a text is meant as the address of a database of PostgreSQL: anything else is the path of a file. */
export function isPostgresAddress(text: unknown): text is string {
  return typeof text === 'string' && /^postgres(?:ql)?:/i.test(text);
}

/** Whether what names a catalogue is the address of one that is elsewhere: a local copy of it is searched. */
export function isCatalogueAddress(database: unknown): database is string {
  return isSnapshotAddress(database) || isPostgresAddress(database);
}

/**
 * An address of PostgreSQL with the first of its hosts, and one for each of the others. With several hosts and ports it
 * is no URL, but each of these is, if anything is.
 */
export function splitHosts(address: string): readonly [first: string, ...others: string[]] {
  const [, scheme = '', user = '', hosts = '', rest = ''] =
    /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)(.*)$/is.exec(address) ?? [];
  const [first = '', ...others] = hosts.split(',');
  return [`${scheme}${user}${first}${rest}`, ...others.map((host) => `${scheme}${host}`)];
}

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

/** A part of an address with its `%` sequences read; undefined where these are no UTF-8, or cut short. */
export function decodePart(part: string): string | undefined {
  return orUndefined(() => decodeURIComponent(part));
}

/** Milliseconds after which it is first said what is waited for, and between two times after that. */
const FIRST_TOLD = 4000;
const TOLD_EVERY = 30_000;

/**
 * Says what is waited for while work that needs the local copy of a catalogue takes long: a first copy takes a minute
 * or more, and a server may say nothing.
 *
 * @param database as a user named it; for a file nothing is said
 * @param tell gets a line without line break
 */
export async function tellWhileWaiting<T>(
  database: unknown,
  tell: (line: string) => void,
  work: Promise<T>,
): Promise<T> {
  if (!isCatalogueAddress(database)) return work;
  const began = performance.now();
  const say = (): void => {
    const seconds = Math.round((performance.now() - began) / 1000);
    tell(`waiting for the catalogue at ${shownAddress(database)}: ${seconds} s so far`);
    timer = setTimeout(say, TOLD_EVERY).unref();
  };
  let timer = setTimeout(say, FIRST_TOLD).unref();
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

/** An address without user, password and query. */
function shownAddress(address: string): string {
  const [, scheme, place] = /^([a-z]+:\/\/)(?:[^/?#]*@)?([^?#]*)/i.exec(address) ?? [];
  // What is no proper address may have its password anywhere.
  return scheme === undefined || place === undefined || place.includes('@') ? 'its address' : scheme + place;
}
