import type { Skill } from '../../index.js';
import { oneLine } from './quoted.js';

/** Where a skill is published; undefined unless it is an address of the web, so that no local path is told. */
export function sourceUrl({ codehostUrl, skillUrl }: Skill): string | undefined {
  return [codehostUrl, skillUrl].find((url) => /^https?:\/\/\S+$/u.test(url) && oneLine(url) === url);
}
