import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A git folder of our own. Git reads its configuration, references and attributes here, and of a repository only the
 * objects. So nothing that a stranger wrote into a `.git` can name a program, a file or another repository.
 */
export class GitScratch {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** @throws the file system's error if there is no room for temporary files */
  static async make(): Promise<GitScratch> {
    const folder = await mkdtemp(join(tmpdir(), 'skill-discovery-git-'));
    // Without these three git does not take the folder for a repository.
    await mkdir(join(folder, 'objects'));
    await mkdir(join(folder, 'refs'));
    await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/none\n');
    return new GitScratch(folder);
  }

  /**
   * Prepares for one repository.
   *
   * @param commit in hex digits: its length tells the kind of hashes
   * @param shallow text of the list of commits whose parents are missing; undefined if none are
   */
  async describe(commit: string, shallow: string | undefined): Promise<void> {
    const sha256 = commit.length === 64;
    const format = sha256 ? '\trepositoryFormatVersion = 1\n[extensions]\n\tobjectFormat = sha256\n' : '';
    await writeFile(join(this.folder, 'config'), `[core]\n\tbare = true\n${format}`);
    if (shallow === undefined) await rm(join(this.folder, 'shallow'), { force: true });
    else await writeFile(join(this.folder, 'shallow'), shallow);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
