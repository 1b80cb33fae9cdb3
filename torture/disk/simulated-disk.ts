import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { randomInteger } from '../trial.js';

/** A write that is not on the disk yet. */
type PendingWrite = { readonly at: number; readonly bytes: Buffer } | { readonly length: number };

/** A change of the folder's entries that is not on the disk yet. */
type PendingEntry =
  | { readonly kind: 'link'; readonly name: string; readonly file: File }
  | { readonly kind: 'rename'; readonly name: string; readonly to: string }
  | { readonly kind: 'remove'; readonly name: string };

/** Bytes that a disk writes as a whole. */
const SECTOR = 512;

class File {
  content: Buffer;
  onDisk: Buffer;
  pending: PendingWrite[] = [];
  /** Where the next write without an offset goes. */
  offset = 0;

  constructor(content: Buffer) {
    this.content = content;
    this.onDisk = content;
  }

  write(write: PendingWrite): void {
    this.content = applied(this.content, write);
    this.pending.push(write);
  }

  sync(): void {
    this.onDisk = this.content;
    this.pending = [];
  }
}

/** How a disk treats what was not synced when the power is cut. */
export const CUTS = ['drops all', 'keeps some in order', 'keeps any sectors', 'keeps any entries'] as const;

/**
 * A folder on a disk that holds for sure only what was synced: bytes by an fsync of the file, entries by one of the
 * folder. What was not synced may be there, in whole or in parts and in any order.
 */
export class SimulatedDisk {
  readonly #folder: string;
  #entries = new Map<string, File>();
  #entriesOnDisk = new Map<string, File>();
  #pendingEntries: PendingEntry[] = [];

  /** Takes the files of a folder as they are: all of it is on the disk. */
  constructor(folder: string) {
    this.#folder = folder;
    for (const name of readdirSync(folder)) this.#entries.set(name, new File(readFileSync(join(folder, name))));
    this.#entriesOnDisk = new Map(this.#entries);
  }

  apply(operation: FileOperation): void {
    const { path } = operation;
    const name = basename(path);
    if (operation.kind === 'sync' && path === this.#folder) {
      this.#entriesOnDisk = new Map(this.#entries);
      this.#pendingEntries = [];
      return;
    }
    if (dirname(path) !== this.#folder) return;
    switch (operation.kind) {
      case 'open':
        this.#open(name, operation);
        break;
      case 'write': {
        const file = this.#entries.get(name);
        // A file that was removed while it was open.
        if (file === undefined) break;
        const at = operation.at ?? file.offset;
        if (operation.at === undefined) file.offset += operation.bytes.length;
        file.write({ at, bytes: operation.bytes });
        break;
      }
      case 'copy': {
        const from = this.#entries.get(basename(operation.from))!;
        const file = this.#entries.get(name)!;
        const at = file.offset;
        file.write({ at, bytes: from.content.subarray(at, at + operation.length) });
        file.offset += operation.length;
        break;
      }
      case 'truncate':
        this.#entries.get(name)?.write({ length: operation.length });
        break;
      case 'sync':
        this.#entries.get(name)?.sync();
        break;
      default:
        this.#changeEntry(
          operation.kind === 'rename' ? { kind: 'rename', name, to: basename(operation.to) } : { kind: 'remove', name },
        );
    }
  }

  /** Writes into a folder what is left after a cut. */
  cut(into: string, how: (typeof CUTS)[number], random: () => number): void {
    rmSync(into, { recursive: true, force: true });
    mkdirSync(into, { recursive: true });
    const entries = new Map(this.#entriesOnDisk);
    const pending = this.#pendingEntries;
    const inOrder = how === 'drops all' ? 0 : randomInteger(random, pending.length + 1);
    for (const [i, entry] of pending.entries()) {
      if (how === 'keeps any entries' ? randomInteger(random, 2) === 0 : i < inOrder) changeEntry(entries, entry);
    }
    for (const [name, file] of entries) {
      // Shared memory of processes that are gone.
      if (!name.endsWith('-shm')) writeFileSync(join(into, name), leftOf(file, how, random));
    }
  }

  #open(name: string, { creates, truncates }: Extract<FileOperation, { kind: 'open' }>): void {
    let file = this.#entries.get(name);
    if (file === undefined) {
      if (!creates) return;
      file = new File(Buffer.alloc(0));
      this.#changeEntry({ kind: 'link', name, file });
    } else if (truncates && file.content.length > 0) file.write({ length: 0 });
    file.offset = 0;
  }

  #changeEntry(entry: PendingEntry): void {
    changeEntry(this.#entries, entry);
    this.#pendingEntries.push(entry);
  }
}

function changeEntry(entries: Map<string, File>, entry: PendingEntry): void {
  if (entry.kind === 'link') entries.set(entry.name, entry.file);
  else {
    const file = entries.get(entry.name);
    entries.delete(entry.name);
    if (entry.kind === 'rename' && file !== undefined) entries.set(entry.to, file);
  }
}

function leftOf({ onDisk, pending }: File, how: (typeof CUTS)[number], random: () => number): Buffer {
  if (how === 'drops all') return onDisk;
  const inOrder = randomInteger(random, pending.length + 1);
  // Now all, now hardly any: in between, hardly a page would survive as a whole.
  const share = random();
  let left = onDisk;
  for (const [i, write] of pending.entries()) {
    if (how === 'keeps some in order' || how === 'keeps any entries') {
      if (i < inOrder) left = applied(left, write);
    } else if ('length' in write) {
      if (random() < share) left = applied(left, write);
    } else {
      for (let from = 0; from < write.bytes.length; ) {
        const to = Math.min(write.bytes.length, from + SECTOR - ((write.at + from) % SECTOR));
        if (random() < share) left = applied(left, { at: write.at + from, bytes: write.bytes.subarray(from, to) });
        from = to;
      }
    }
  }
  return left;
}

function applied(content: Buffer, write: PendingWrite): Buffer {
  if ('length' in write) {
    if (write.length <= content.length) return content.subarray(0, write.length);
    return Buffer.concat([content, Buffer.alloc(write.length - content.length)]);
  }
  const end = write.at + write.bytes.length;
  const result = Buffer.alloc(Math.max(content.length, end));
  content.copy(result);
  write.bytes.copy(result, write.at);
  return result;
}

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
    case 'sendfile': {
      const [from, path] =
        call === 'sendfile' ? [fileOf(args[1]!), fileOf(args[0]!)] : [fileOf(args[0]!), fileOf(args[2]!)];
      return isInside(path) ? [{ kind: 'copy', path, from, length: result }] : [];
    }
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
