import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { commit, git, readAll, repository, rowsOf, rowValue, temporaryFolder, writeFiles } from '../folders.js';

const SKILL = '---\nname: s\ndescription: About s.\n---\nBody\n';

afterEach(() => vi.unstubAllEnvs());

describe('skills in a git repository', () => {
  it('have owner, address, place and commit time from it', async () => {
    const folder = await temporaryFolder({
      'skills/été x/SKILL.md': SKILL,
      'skills/été x/a.md': 'a',
      'SKILL.md': SKILL,
    });
    repository(folder, 'https://user:secret@Code.Example/owner/repo.git');
    commit(folder, 5_000);
    await writeFiles(folder, { 'skills/été x/a.md': 'changed' });
    commit(folder, 9_000);

    const [root, skill] = rowsOf((await readAll(folder, { author: 'me', codehostBase: 'https://x.example' })).items);
    expect(root?.location).toBe('owner/repo');
    expect(rowValue(root)).toMatchObject({ author: 'owner', codehostUrl: 'https://code.example/owner/repo' });
    expect(skill?.location).toBe('owner/repo/skills/été x');
    expect(rowValue(skill)).toMatchObject({
      author: 'owner',
      codehostUrl: 'https://code.example/owner/repo/tree/HEAD/skills/%C3%A9t%C3%A9%20x',
      updatedAt: 9_000,
    });
    expect(JSON.stringify(skill)).not.toContain('secret');
  });

  it('are found in a folder of the repository, and in repositories below the source', async () => {
    const folder = await temporaryFolder({
      'outer/in/a/SKILL.md': SKILL,
      'outer/b/SKILL.md': SKILL,
      'outer/in/sub/c/SKILL.md': SKILL,
    });
    repository(join(folder, 'outer/in/sub'), 'git@host.example:group/deep/sub.git');
    commit(join(folder, 'outer/in/sub'), 3_000);
    repository(join(folder, 'outer'), 'ssh://git@host.example:2222/owner/outer');
    await writeFile(join(folder, 'outer/.gitignore'), 'in/sub\n');
    commit(join(folder, 'outer'), 2_000);

    const rows = rowsOf((await readAll(join(folder, 'outer/in'))).items);
    expect(rows.map((row) => [row.location, rowValue(row).codehostUrl, rowValue(row).updatedAt])).toEqual([
      ['owner/outer/in/a', 'https://host.example/owner/outer/tree/HEAD/in/a', 2_000],
      ['group/deep/sub/c', 'https://host.example/group/deep/sub/tree/HEAD/c', 3_000],
    ]);
  });

  it('prefer the remote origin and take another where there is none', async () => {
    const folder = await temporaryFolder({ 's/SKILL.md': SKILL });
    repository(folder);
    git(folder, ['remote', 'add', 'aaa', 'https://host.example/a/r']);
    expect(rowsOf((await readAll(folder)).items)[0]?.location).toBe('a/r/s');
    git(folder, ['remote', 'add', 'origin', 'https://host.example/o/r']);
    expect(rowsOf((await readAll(folder)).items)[0]?.location).toBe('o/r/s');
  });

  it('keep their file times where git fails: no commit, no repository, no git, no time', async () => {
    const folder = await temporaryFolder({ 's/SKILL.md': SKILL });
    await utimes(join(folder, 's/SKILL.md'), 7_000, 7_000);
    const base = folder.split('/').at(-1);
    const look = async (gitTimeout?: number): Promise<unknown[]> => {
      const [row] = rowsOf((await readAll(folder, { gitTimeout })).items);
      return [row?.location, rowValue(row).updatedAt];
    };

    await mkdir(join(folder, '.git'));
    expect(await look()).toEqual([`${base}/s`, 7_000]);
    repository(folder, 'https://host.example/o/r');
    expect(await look()).toEqual(['o/r/s', 7_000]);
    commit(folder, 5_000);
    expect(await look()).toEqual(['o/r/s', 5_000]);

    const bin = await temporaryFolder({ git: '#!/bin/sh\nexec sleep 30\n' });
    await chmod(join(bin, 'git'), 0o755);
    vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`);
    const started = performance.now();
    expect(await look(200)).toEqual([`${base}/s`, 7_000]);
    expect(performance.now() - started).toBeLessThan(10_000);
    vi.stubEnv('PATH', '/nowhere');
    expect(await look()).toEqual([`${base}/s`, 7_000]);
  });

  it('are not mistaken for those of another repository by inherited variables', async () => {
    const other = await temporaryFolder({ x: 'x' });
    repository(other, 'https://host.example/other/other');
    const folder = await temporaryFolder({ 's/SKILL.md': SKILL });
    repository(folder, 'https://host.example/o/r');
    commit(folder, 5_000);
    vi.stubEnv('GIT_DIR', join(other, '.git'));
    vi.stubEnv('GIT_WORK_TREE', other);
    vi.stubEnv('GIT_CONFIG_COUNT', '1');
    vi.stubEnv('GIT_CONFIG_KEY_0', 'remote.origin.url');
    vi.stubEnv('GIT_CONFIG_VALUE_0', 'https://host.example/x/y');
    const [row] = rowsOf((await readAll(folder)).items);
    expect([row?.location, rowValue(row).updatedAt]).toEqual(['o/r/s', 5_000]);
  });

  it('start no program that a hostile repository names', async () => {
    const traps = await temporaryFolder();
    const trap = join(traps, 'trap');
    await writeFile(trap, `#!/bin/sh\necho "$@" > ${traps}/mark.$$\nexit 0\n`, { mode: 0o755 });
    const folder = await temporaryFolder({ 's/SKILL.md': SKILL, '.gitattributes': '* diff=evil filter=evil\n' });
    repository(folder, 'https://host.example/o/r');
    commit(folder, 5_000);
    // A commit that says it is signed: git would start gpg.program to check that.
    const tree = git(folder, ['rev-parse', 'HEAD^{tree}']);
    const who = 'a <a@b> 5000 +0000';
    const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----';
    const signed = `tree ${tree}\nauthor ${who}\ncommitter ${who}\n${signature}\n\nx\n`;
    const id = git(folder, ['hash-object', '-t', 'commit', '-w', '--stdin'], 0, signed);
    git(folder, ['update-ref', 'HEAD', id]);
    const settings: Record<string, string> = {
      'core.fsmonitor': trap,
      'core.pager': trap,
      'pager.log': trap,
      'pager.config': trap,
      'core.editor': trap,
      'core.sshCommand': trap,
      'core.askPass': trap,
      'core.hooksPath': traps,
      'core.alternateRefsCommand': trap,
      'credential.helper': trap,
      'diff.external': trap,
      'diff.evil.command': trap,
      'diff.evil.textconv': trap,
      'filter.evil.smudge': trap,
      'filter.evil.clean': trap,
      'filter.evil.process': trap,
      'log.showSignature': 'true',
      'gpg.program': trap,
      'gpg.ssh.program': trap,
      'alias.log': `!${trap}`,
      'alias.config': `!${trap}`,
      'protocol.allow': 'always',
      'protocol.ext.allow': 'always',
      'remote.origin.promisor': 'true',
      'remote.evil.url': `ext::${trap}`,
      'extensions.partialClone': 'evil',
    };
    for (const [key, value] of Object.entries(settings)) git(folder, ['config', key, value]);
    const marks = async (): Promise<string[]> => (await readdir(traps)).filter((name) => name.startsWith('mark'));
    git(folder, ['log', '--format=%ct']);
    expect(await marks()).not.toEqual([]); // the trap works
    for (const mark of await marks()) await rm(join(traps, mark));

    const [row] = rowsOf((await readAll(folder)).items);
    expect([row?.location, rowValue(row).updatedAt]).toEqual(['o/r/s', 5_000]);
    execFileSync('sh', ['-c', `rm -rf ${folder}/.git/objects/??`]);
    expect(rowsOf((await readAll(folder)).items)).toHaveLength(1);
    expect(await marks()).toEqual([]);
  });
});

describe('the address of a remote', () => {
  /** The location of a skill in a repository with each of these remotes, and its address. */
  async function placesOf(addresses: readonly string[]): Promise<[location: string, address: string][]> {
    const files = addresses.flatMap((address, i) => [
      [`${i + 10}/s/SKILL.md`, SKILL],
      [`${i + 10}/.git/config`, `[remote "origin"]\n\turl = "${address.replaceAll('\\', '\\\\')}"\n`],
    ]);
    const { items } = await readAll(await temporaryFolder(Object.fromEntries(files)));
    return rowsOf(items).map((row) => [row.location!, rowValue(row).codehostUrl]);
  }

  it('is read in all its forms, without user and password', async () => {
    const addresses: readonly (readonly [string, string, string])[] = [
      ['https://github.com/o/r.git', 'o/r', 'https://github.com/o/r'],
      ['https://token@github.com/o/r/', 'o/r', 'https://github.com/o/r'],
      ['https://u:p%40ss@GitHub.com:443/o/r', 'o/r', 'https://github.com/o/r'],
      ['http://host:8080/o/r', 'o/r', 'http://host:8080/o/r'],
      ['http://host.example:80/o/r', 'o/r', 'http://host.example/o/r'],
      ['https://host.example:8443/o/r', 'o/r', 'https://host.example:8443/o/r'],
      ['ssh://git@host.example:2222/o/r.git', 'o/r', 'https://host.example/o/r'],
      ['git@github.com:o/r.git', 'o/r', 'https://github.com/o/r'],
      ['github.com:o/r', 'o/r', 'https://github.com/o/r'],
      ['git@gitlab.com:g/s/r.git', 'g/s/r', 'https://gitlab.com/g/s/r'],
    ];
    expect(await placesOf(addresses.map(([address]) => address))).toEqual(
      addresses.map(([, location, address]) => [`${location}/s`, `${address}/tree/HEAD/s`]),
    );
    expect(await placesOf(['git@work:o/r.git'])).toEqual([['o/r/s', 'unknown']]);
  });

  it('is none where it names no repository on a host', async () => {
    const addresses = [
      ...['/srv/git/o/r.git', '../o/r', 'o/r', 'file:///srv/o/r', 'C:/o/r', 'C:\\o\\r', 'ext::sh -c x/y'],
      ...['https://github.com/r', 'https://github.com/o/../r', 'https://github.com/o/%2e%2e/r', 'https://ho st/o/r'],
      'https://host.example/o/r<script>',
    ];
    for (const [location, address] of await placesOf(addresses)) {
      expect([location.split('/').length, address]).toEqual([3, 'unknown']);
    }
  });
});
