import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { InstalledOptions } from '../../../src/sources/index.js';
import type { InstalledFolder } from '../../../src/sources/installed/find-folders.js';
import { temporaryFolder, writeFiles } from '../folders.js';

/** A machine of one user, in a folder of its own: `home`, a project in it with a repository, and `etc` beside it. */
export class MadeUpHome {
  readonly root: string;
  readonly home: string;
  readonly project: string;

  private constructor(root: string) {
    this.root = root;
    this.home = join(root, 'home');
    this.project = join(root, 'home', 'work', 'project');
  }

  /** @param skills paths of folders with a skill, from the machine's root */
  static async with(...skills: readonly string[]): Promise<MadeUpHome> {
    const made = new MadeUpHome(await temporaryFolder({ 'home/work/project/.git/HEAD': 'ref: refs/heads/main\n' }));
    await made.add(...skills);
    return made;
  }

  get options(): InstalledOptions & { readonly folders: NonNullable<InstalledOptions['folders']> } {
    const { home, project: cwd } = this;
    // Nothing of the machine that the test runs on.
    const system = [join(home, '.codex/skills/.system'), join(this.root, 'etc/codex/skills')];
    return { home, cwd, env: {}, platform: 'linux', folders: { codex: { system } } };
  }

  async add(...skills: readonly string[]): Promise<void> {
    for (const path of skills) {
      const name = path.split('/').at(-1)!;
      await this.write({ [`${path}/SKILL.md`]: skillMarkdown(name, `Does what ${path} does.`) });
    }
  }

  async write(files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
    await writeFiles(this.root, files);
  }

  /** Makes a link at `path` to `target`, both from the machine's root. */
  async link(path: string, target: string): Promise<void> {
    await mkdir(dirname(join(this.root, path)), { recursive: true });
    await symlink(join(this.root, target), join(this.root, path));
  }

  /** Path from the machine's root. */
  inside(path: string): string {
    return path.startsWith(this.root) ? path.slice(this.root.length + 1) : path;
  }

  /** Folders in a short form: `agent scope path`. */
  short(folders: readonly InstalledFolder[]): string[] {
    return folders.map(({ agent, scope, path, plugin }) =>
      [agent, scope, this.inside(path), ...(plugin === undefined ? [] : [plugin])].join(' '),
    );
  }
}

export function skillMarkdown(name: string, description: string, more = ''): string {
  return `---\nname: ${name}\ndescription: ${description}\n${more}---\n\n# ${name}\n`;
}
