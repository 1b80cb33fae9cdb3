import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type HashedFile, hashOfFiles, readFolder } from '../../src/agents/index.js';
import { startServer } from '../../src/http/index.js';
import { catalogueOf, idOf, PDF_FORMS, skillMarkdown } from '../agents/install/skill-catalogue.js';
import { scratchFolder } from '../scratch-folder.js';

/** The real installer: the last version for Node 20. */
const INSTALLER = join(dirname(createRequire(import.meta.url).resolve('skills/package.json')), 'bin', 'cli.mjs');

/** A server that publishes a skill with several files and one of a single file, and the installer in a new project. */
async function installerAndServer() {
  const { search, database, folder } = await catalogueOf({ ...PDF_FORMS, 'cron/SKILL.md': skillMarkdown('cron') });
  const options = { port: 0, publish: ['all'], compatibility: 'skillsmp' } as const;
  const { url, close } = await startServer(search, options).then((server) => ({
    url: server.url,
    close: () => server.close(),
  }));
  onTestFinished(close);
  const [home, project] = [scratchFolder(), scratchFolder()];
  // Otherwise it would ask which agents there are.
  mkdirSync(join(project, '.claude'));
  const env = {
    PATH: process.env['PATH'],
    SYSTEMROOT: process.env['SYSTEMROOT'],
    HOME: home,
    USERPROFILE: home,
    SKILLS_API_URL: url,
    SKILLS_DOWNLOAD_URL: url,
    // No network but that server.
    DISABLE_TELEMETRY: '1',
    DO_NOT_TRACK: '1',
    NO_COLOR: '1',
  };
  const skills = (...words: string[]): Promise<string> =>
    new Promise((done, fail) => {
      const child = execFile(process.execPath, [INSTALLER, ...words], { cwd: project, env }, (error, out, err) =>
        error === null ? done(out) : fail(new Error(`${error.message}\n${out}${err}`)),
      );
      child.stdin?.end();
    });
  return { search, database, folder, url, home, project, skills };
}

describe('the installer skills 1.5.18', () => {
  test('finds a skill of a folder, and the address that it shows can be added', async () => {
    const { search, url, home, skills } = await installerAndServer();
    const address = `${url}/skills/${idOf(search, 'pdf-forms')}/@pdf-forms`;
    expect(await skills('find', 'pdf', 'forms')).toContain(address);
    const added = await skills('add', address, '--yes', '--global', '--agent', 'claude-code', '--copy');
    expect(added).toContain('Installed 1 skill');
    const folder = join(home, '.claude', 'skills');
    for (const [path, content] of Object.entries(PDF_FORMS)) {
      expect(readFileSync(join(folder, path)), path).toEqual(Buffer.from(content as string));
    }
  });

  test('adds all that is published, or one by its name, from the address of the server', async () => {
    const { url, project, skills } = await installerAndServer();
    expect(await skills('add', url, '--yes', '--agent', 'claude-code', '--copy', '--skill', 'cron')).toContain(
      'Installed 1 skill',
    );
    expect(await skills('add', url, '--yes', '--agent', 'claude-code', '--copy')).toContain('Installed 2 skills');
    const folder = join(project, '.claude', 'skills');
    expect(readFileSync(join(folder, 'cron', 'SKILL.md'), 'utf8')).toBe(skillMarkdown('cron'));
    for (const [path, content] of Object.entries(PDF_FORMS)) {
      expect(readFileSync(join(folder, path)), path).toEqual(Buffer.from(content as string));
    }
    // It computes the hash of a folder as we do.
    const { skills: noted } = JSON.parse(readFileSync(join(project, 'skills-lock.json'), 'utf8'));
    const found = await readFolder(join(folder, 'pdf-forms'));
    expect(hashOfFiles(found as HashedFile[])).toBe(noted['pdf-forms'].computedHash);
  });
});
