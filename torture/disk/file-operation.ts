/** What a program asked the system to do with files. Paths are absolute. */
export type FileOperation =
  | { readonly kind: 'open'; readonly path: string; readonly creates: boolean; readonly truncates: boolean }
  | { readonly kind: 'write'; readonly path: string; readonly bytes: Buffer; readonly at: number | undefined }
  | { readonly kind: 'copy'; readonly path: string; readonly from: string; readonly length: number }
  | { readonly kind: 'truncate'; readonly path: string; readonly length: number }
  | { readonly kind: 'sync'; readonly path: string }
  | { readonly kind: 'rename'; readonly path: string; readonly to: string }
  | { readonly kind: 'remove'; readonly path: string };

/** The system calls to watch. */
const CALLS =
  'openat,open,creat,write,pwrite64,writev,pwritev,pwritev2,ftruncate,truncate,fallocate,fsync,fdatasync,sync_file_range,rename,renameat,renameat2,link,linkat,symlink,unlink,unlinkat,copy_file_range,sendfile';

/** Arguments of an `strace` whose output {@link readOperations} reads. */
export function watchingArguments(output: string): string[] {
  return ['-o', output, '-xx', '-s', '4000000', '-y', '-e', `trace=${CALLS}`];
}

/**
 * Reads what a program did in a folder from the output of `strace`.
 *
 * @throws Error if it did something there that is not known
 */
export function readOperations(output: string, folder: string): FileOperation[] {
  const operations: FileOperation[] = [];
  const unfinished = new Map<string, string>();
  const marker = hexOf(folder);
  for (const line of output.split('\n')) {
    const match = /^(\d+) +(.*)$/.exec(line);
    if (match === null) continue;
    const thread = match[1]!;
    let call = match[2]!;
    if (call.endsWith(' <unfinished ...>')) {
      unfinished.set(thread, call.slice(0, -' <unfinished ...>'.length));
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(call);
    if (resumed !== null) call = (unfinished.get(thread) ?? '') + resumed[1]!;
    if (!call.includes(marker)) continue;
    const parsed = /^(\w+)\((.*)\) += (-?\d+)/.exec(call);
    if (parsed === null || Number(parsed[3]) < 0) continue;
    operations.push(...operationsOf(parsed[1]!, parsed[2]!.split(', '), Number(parsed[3]), folder));
  }
  return operations;
}

function operationsOf(call: string, args: readonly string[], result: number, folder: string): FileOperation[] {
  const isInside = (path: string): boolean => path.startsWith(`${folder}/`) || path === folder;
  const textAt = (i: number): string => textOf(args[i]!);
  switch (call) {
    case 'open':
    case 'openat': {
      const [path, flags] = call === 'open' ? [textAt(0), args[1]!] : [textAt(1), args[2]!];
      if (!isInside(path) || flags.includes('O_DIRECTORY')) return [];
      const [creates, truncates] = [flags.includes('O_CREAT'), flags.includes('O_TRUNC')];
      return creates || truncates ? [{ kind: 'open', path, creates, truncates }] : [];
    }
    case 'pwrite64':
    case 'write': {
      const path = fileOf(args[0]!);
      if (!isInside(path)) return [];
      const bytes = bytesOf(args[1]!).subarray(0, result);
      return [{ kind: 'write', path, bytes, at: call === 'write' ? undefined : Number(args[3]) }];
    }
    case 'writev': {
      const path = fileOf(args[0]!);
      if (!isInside(path)) return [];
      const pieces = [...args.join(', ').matchAll(/iov_base="([^"]*)"/g)].map(([, hex]) => bytesOf(`"${hex}"`));
      return [{ kind: 'write', path, bytes: Buffer.concat(pieces).subarray(0, result), at: undefined }];
    }
    case 'copy_file_range':
      return isInside(fileOf(args[2]!))
        ? [{ kind: 'copy', path: fileOf(args[2]!), from: fileOf(args[0]!), length: result }]
        : [];
    case 'sendfile':
      return isInside(fileOf(args[0]!))
        ? [{ kind: 'copy', path: fileOf(args[0]!), from: fileOf(args[1]!), length: result }]
        : [];
    case 'ftruncate':
      return isInside(fileOf(args[0]!)) ? [{ kind: 'truncate', path: fileOf(args[0]!), length: Number(args[1]) }] : [];
    case 'fsync':
    case 'fdatasync':
      return isInside(fileOf(args[0]!)) ? [{ kind: 'sync', path: fileOf(args[0]!) }] : [];
    case 'rename':
      return [{ kind: 'rename', path: textAt(0), to: textAt(1) }];
    case 'unlink':
      return [{ kind: 'remove', path: textAt(0) }];
    case 'unlinkat':
      return [{ kind: 'remove', path: textAt(1) }];
    default:
      throw new Error(`a system call that the trial does not know: ${call}`);
  }
}

/** The path that `strace -y` writes behind a file descriptor. */
function fileOf(argument: string): string {
  const path = /<(.*)>/.exec(argument)?.[1] ?? '';
  return textOf(`"${path}"`);
}

function textOf(argument: string): string {
  return bytesOf(argument).toString();
}

function bytesOf(argument: string): Buffer {
  const quoted = /"([^"]*)"/.exec(argument)?.[1] ?? '';
  return Buffer.from(quoted.replaceAll('\\x', ''), 'hex');
}

function hexOf(text: string): string {
  return [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}
