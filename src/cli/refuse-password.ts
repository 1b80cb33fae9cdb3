import { isPostgresAddress, SkillSearchError, splitHosts } from '../core/index.js';

/**
 * Refuses an address with a password in it: everybody on a machine can read the words of a command. The message does
 * not repeat the address.
 *
 * @param option that the address was given as, with its dashes
 * @param files option that names a file with the password instead
 */
export function refusePassword(option: string, address: unknown, files: string): void {
  if (!isPostgresAddress(address)) return;
  const [first] = splitHosts(address);
  if (!URL.canParse(first) || new URL(first).password === '') return;
  const message = `the address of ${option} has a password, which everybody on this machine can read there. Leave it out, and put it into PGPASSWORD, ~/.pgpass, or a file that ${files} names`;
  throw new SkillSearchError('INVALID_OPTION', message);
}
