// Checks that package-lock.json pins the contents of every package: an entry without `integrity` would be installed
// whatever it contains.
//
//     node scripts/check-lock-file.mjs [FILE]      package-lock.json of the project if left out
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What npm writes for a package of a registry: 64 bytes of SHA-512. */
const SHA512 = /^sha512-[A-Za-z0-9+/]{86}==$/;

const file = process.argv[2] ?? fileURLToPath(new URL('../package-lock.json', import.meta.url));
const { lockfileVersion, packages = {} } = JSON.parse(readFileSync(file, 'utf8'));

const wrong = [];
if (lockfileVersion !== 3) wrong.push(`the lock file has version ${lockfileVersion}, expected 3`);
for (const [path, entry] of Object.entries(packages)) {
  const fault = path === '' ? undefined : faultOf(path, entry);
  if (fault !== undefined) wrong.push(`${path}: ${fault}`);
}
for (const line of wrong) console.error(line);
process.exitCode = wrong.length === 0 ? 0 : 1;

/** @returns what is wrong with an entry; undefined if nothing is */
function faultOf(path, { link, resolved, integrity, version }) {
  if (link === true)
    return packages[resolved] === undefined ? `is a link to ${resolved}, which is not here` : undefined;
  if (!path.includes('node_modules/')) {
    const linked = Object.values(packages).some((other) => other.link === true && other.resolved === path);
    return linked && !/^(?:\.\.|\/|[a-z]+:)/i.test(path) ? undefined : 'is no folder of this repository';
  }
  if (integrity === undefined) return `has no integrity (version ${version}): its contents are not pinned`;
  if (!SHA512.test(integrity)) return `has the integrity ${integrity}, expected one of SHA-512`;
  // Without `resolved` a package comes from the registry that npm is set to. Whatever answers, its contents are pinned.
  if (resolved === undefined || isOfRegistry(resolved, version)) return undefined;
  return `comes from ${resolved}, which is no tarball of a registry`;
}

/** Whether an address is where registries keep the tarballs of versions.. */
function isOfRegistry(address, version) {
  if (!URL.canParse(address)) return false;
  const { protocol, pathname, username, search } = new URL(address);
  const ending = `-${version}.tgz`;
  return (
    protocol === 'https:' && username === '' && search === '' && pathname.includes('/-/') && pathname.endsWith(ending)
  );
}
