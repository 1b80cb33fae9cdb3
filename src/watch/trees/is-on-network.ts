import { statfs } from 'node:fs/promises';

/**
 * Numbers of file systems of Linux whose files others change without the system noticing: NFS, SMB (cifs and smb2),
 * 9p (folders of the host in WSL and in virtual machines), VirtualBox, Ceph, AFS, and those in user space (sshfs).
 */
const NETWORKS: ReadonlySet<number> = new Set([
  0x6969, 0xff534d42, 0xfe534d42, 0x517b, 0x01021997, 0x786f4256, 0x00c36400, 0x5346414f, 0x65735546,
]);

/** Whether a folder lies where the system cannot tell of changes, as far as it says so. */
export async function isOnNetwork(path: string): Promise<boolean> {
  if (process.platform === 'win32') return path.startsWith('\\\\');
  if (process.platform !== 'linux') return false;
  const found = await statfs(path).catch(() => undefined);
  return found !== undefined && NETWORKS.has(found.type >>> 0);
}
