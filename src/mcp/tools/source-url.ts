import type { Skill } from '../../index.js';

/** Where a skill is published; undefined unless it is an address of the web, so that no local path is told. */
export function sourceUrl({ codehostUrl, skillUrl }: Skill): string | undefined {
  return [codehostUrl, skillUrl].find((url) => /^https?:\/\/[^\s\p{Cc}]+$/u.test(url));
}
