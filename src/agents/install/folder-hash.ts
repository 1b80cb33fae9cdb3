import { createHash } from 'node:crypto';

/** A file as hashes of folders see it. */
export interface HashedFile {
  /** Inside the folder, with `/`. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

/** Folders that `npx skills` leaves out of its hash. */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', 'node_modules']);

/**
 * `computedHash` of `skills-lock.json`, as `npx skills` computes it: the SHA-256 of path and bytes of each file, in the
 * order of `localeCompare`. It does not see which files are executable.
 */
export function hashOfFiles(files: readonly HashedFile[]): string {
  const hash = createHash('sha256');
  const kept = files.filter(
    ({ path }) =>
      !path
        .split('/')
        .slice(0, -1)
        .some((folder) => LEFT_OUT.has(folder)),
  );
  for (const { path, bytes } of kept.toSorted((a, b) => a.path.localeCompare(b.path))) {
    hash.update(path).update(bytes);
  }
  return hash.digest('hex');
}

/**
 * The hash that git gives a folder with these files, 40 hexadecimal digits. Of a skill from GitHub it is the
 * `skillFolderHash` of the user's lock file, which `npx skills` compares with what GitHub says.
 */
export function gitTreeHash(files: readonly HashedFile[]): string {
  return treeOf(files.map(({ path, ...file }) => ({ ...file, segments: path.split('/') }))).toString('hex');
}

interface TreeFile {
  readonly segments: readonly string[];
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

function treeOf(files: readonly TreeFile[]): Buffer {
  const folders = new Map<string, TreeFile[]>();
  const entries: { readonly name: Buffer; readonly order: Buffer; readonly mode: string; readonly hash: Buffer }[] = [];
  for (const { segments, ...file } of files) {
    const [first = '', ...rest] = segments;
    if (rest.length > 0) {
      const inside = folders.get(first) ?? [];
      inside.push({ ...file, segments: rest });
      folders.set(first, inside);
    } else {
      const name = Buffer.from(first);
      const mode = file.executable ? '100755' : '100644';
      entries.push({ name, order: name, mode, hash: objectHash('blob', file.bytes) });
    }
  }
  for (const [name, inside] of folders) {
    // Git orders a folder as if its name ended with a slash.
    const order = Buffer.from(`${name}/`);
    entries.push({ name: Buffer.from(name), order, mode: '40000', hash: treeOf(inside) });
  }
  entries.sort((a, b) => Buffer.compare(a.order, b.order));
  const parts = entries.flatMap(({ name, mode, hash }) => [Buffer.from(`${mode} `), name, Buffer.of(0), hash]);
  return objectHash('tree', Buffer.concat(parts));
}

function objectHash(kind: 'blob' | 'tree', bytes: Uint8Array): Buffer {
  return createHash('sha1').update(`${kind} ${bytes.length}\0`).update(bytes).digest();
}
