import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { buildCatalogue } from '../../src/index.js';
import { type Row, row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { linesOf, runCaptured } from './run-captured.js';

describe('show', () => {
  const skill: Row = row('o-r-notes', {
    name: 'release-notes',
    author: 'octo',
    description: 'Writes release notes\nfrom the git log',
    codehostUrl: 'https://github.com/o/r',
    skillUrl: 'https://example.com/notes',
    stars: 4321,
    updatedAt: 1_700_000_000,
    categories: ['documents', 'git-workflows'],
    files: [
      { filename: 'SKILL.md', text: '# Notes\n\n\tfirst step' },
      { filename: 'references/style.md', text: 'be brief' },
    ],
  });

  test('prints a skill and its files', async () => {
    const database = await catalogueOf([{ ...skill, license: 'MIT' }]);
    const { status, out, error } = await runCaptured(['show', 'o-r-notes', '--database', database]);

    expect([status, error]).toEqual([0, '']);
    for (const text of [
      'release-notes',
      'Writes release notes\nfrom the git log',
      'octo',
      '4,321',
      '2023-11-14',
      'https://github.com/o/r',
      'https://example.com/notes',
      'documents, git-workflows',
      'MIT',
      '--- SKILL.md\n# Notes\n\n  first step',
      '--- references/style.md\nbe brief',
    ]) {
      expect(out).toContain(text);
    }
  });

  test('prints the agents that have it, and that only users may call it', async () => {
    const installations = [
      { agent: 'codex', scope: 'user', path: '/etc' },
      { agent: 'claude-code', scope: 'plugin', plugin: 'office\u001b[31m' },
    ];
    const database = await catalogueOf([{ ...skill, installations, metadata: { internal: true } }]);
    for (const paths of [[], ['--local-paths']]) {
      const lines = linesOf((await runCaptured(['show', 'o-r-notes', ...paths, '--database', database])).out);
      const at = lines.indexOf('installed      codex (user)');
      expect(lines.slice(at, at + 2)).toEqual([
        'installed      codex (user)',
        '               claude-code (plugin office[31m)',
      ]);
      expect(lines).toContain('called by      users only');
    }
    const json = await runCaptured(['show', 'o-r-notes', '--json', '--database', database]);
    expect(JSON.parse(json.out)).toMatchObject({
      skill: { installations: [{ agent: 'codex' }, {}], invocable: false },
    });
    expect(json.out).not.toContain('/etc');
  });

  test('prints the front matter that no other line says', async () => {
    const frontMatter = { name: 'release-notes', version: '1.10', hooks: { Stop: ['x'] }, model: null };
    const database = await catalogueOf([{ ...skill, frontMatter }]);
    const lines = linesOf((await runCaptured(['show', 'o-r-notes', '--database', database])).out);
    expect(lines).toContain('version        1.10');
    expect(lines).toContain('hooks          {"Stop":["x"]}');
    expect(lines.filter((line) => /^(?:name|model) /.test(line))).toEqual([]);
    const json = await runCaptured(['show', 'o-r-notes', '--json', '--database', database]);
    expect(JSON.parse(json.out)).toMatchObject({ skill: { frontMatter } });
  });

  test('lists what a skill is made of, and prints one file of it as it is', async () => {
    const text = 'echo \u001b[31m\n';
    const sha256 = createHash('sha256').update(text).digest('hex');
    const files = [
      { filename: 'SKILL.md', text: 'an excerpt' },
      { filename: 'run.sh', text, complete: true, sha256, executable: true },
    ];
    const database = await catalogueOf([{ ...skill, files }]);
    const { out } = await runCaptured(['show', 'o-r-notes', '--contents', '--database', database]);
    expect(out).toContain('--- contents, not complete');
    expect(linesOf(out).at(-1)).toBe(`        11  ${sha256}  run.sh  text/x-shellscript, executable`);
    expect(linesOf(out).at(-2)).toMatch(/ {2}SKILL\.md {2}text\/markdown, excerpt$/);
    const json = await runCaptured(['show', 'o-r-notes', '--contents', '--json', '--database', database]);
    expect(JSON.parse(json.out)).toMatchObject({ contents: { complete: false, files: [{}, { sha256 }] } });

    const raw = (...more: string[]) => runCaptured(['show', 'o-r-notes', '--database', database, '--raw', ...more]);
    expect(await raw('run.sh')).toMatchObject({ status: 0, out: text, error: '' });
    expect(await raw('SKILL.md')).toMatchObject({
      status: 0,
      out: 'an excerpt',
      error: expect.stringContaining('excerpt'),
    });
    const atTerminal = await runCaptured(['show', 'o-r-notes', '--database', database, '--raw', 'run.sh'], {
      columns: 80,
    });
    expect([atTerminal.status, atTerminal.out]).toEqual([1, '']);
    expect(await raw('other')).toMatchObject({ status: 1, out: '', error: expect.stringContaining('no file "other"') });
  });

  test('keeps the facts in one column', async () => {
    const database = await catalogueOf([
      { ...skill, license: 'MIT', compatibility: 'Node 20', 'allowed-tools': 'Bash Read', occupations: ['writers'] },
    ]);
    const { out } = await runCaptured(['show', 'o-r-notes', '--database', database]);
    const facts = ['o-r-notes', 'octo', '4,321', 'documents,', 'writers', 'MIT', 'Node 20', 'Bash Read'];
    const lines = linesOf(out);
    const columns = facts.map((fact) => lines.find((line) => line.includes(` ${fact}`))?.indexOf(fact));
    expect(new Set(columns).size).toBe(1);
  });

  test('prints both as JSON with --json', async () => {
    const database = await catalogueOf([{ ...skill, license: 'MIT' }]);
    const { status, out, error } = await runCaptured(['show', 'o-r-notes', '--json', '--database', database]);

    expect([status, error]).toEqual([0, '']);
    const { files, ...fields } = skill;
    expect(JSON.parse(out)).toEqual({
      skill: { ...fields, occupations: [], tags: [], license: 'MIT' },
      files: files?.map((file) => ({ fileId: `o-r-notes/${file.filename}`, ...file })),
      copies: [],
    });
  });

  test('lists the skills nearest to it with --similar, without a model', async () => {
    const database = scratchFile('skills.db');
    const others = [row('notes-2', { name: 'notes', description: 'Writes release notes' }), row('maps')];
    await buildCatalogue({ database, sources: [[skill, ...others]], embedder: new StandInEmbedder() });
    const show = (...more: string[]) => runCaptured(['show', 'o-r-notes', '--database', database, ...more]);
    const { status, out, error } = await show('--similar', '1');
    expect([status, error]).toEqual([0, '']);
    expect(linesOf(out).slice(-2)).toEqual([
      '--- similar skills',
      expect.stringMatching(/^ 0\.\d{3} {2}notes-2 {2}notes$/),
    ]);
    expect(out).not.toContain('first step');
    const { similar, copies, ...rest } = JSON.parse((await show('--similar', '--json')).out);
    expect(similar.map((one: { skill: Row; copies: number }) => [one.skill.id, one.copies])).toEqual([
      ['notes-2', 1],
      ['maps', 1],
    ]);
    expect(Object.keys(rest)).toEqual(['skill']);
    expect((await show('--similar', '--contents')).out).toMatch(/--- contents.*--- similar skills/s);
    expect((await show('--similar', '101')).error).toMatch(/limit must be an integer from 1 to 100, got 101/);
  });

  test('has no similar skills of a catalogue without vectors', async () => {
    const database = await catalogueOf([skill]);
    const { status, out, error } = await runCaptured(['show', 'o-r-notes', '--similar', '--database', database]);
    expect([status, out]).toEqual([1, '']);
    expect(error).toMatch(/has no vectors/);
  });

  test('names the copies of a skill, some of them where they are many', async () => {
    const copies = Array.from({ length: 13 }, (_, i) =>
      row(`copy-${i}`, { name: 'same', description: 'same', stars: i }),
    );
    const database = await catalogueOf([...copies, skill]);
    const { out } = await runCaptured(['show', 'copy-12', '--database', database]);
    expect(out).toMatch(/\ncopies +copy-11\n +copy-10\n/);
    expect(out).toContain('and 2 more');
    expect(out).not.toContain('copy-1\n');

    const json = await runCaptured(['show', 'copy-12', '--json', '--database', database]);
    expect(JSON.parse(json.out).copies).toHaveLength(12);
    expect((await runCaptured(['show', 'o-r-notes', '--database', database])).out).not.toMatch(/^copies/m);
  });

  test.each(['nobody', '', 'O-R-NOTES', '--', '\u001b[31m'])('of an unknown id %j fails with one line', async (id) => {
    const database = await catalogueOf([skill]);
    for (const more of [[], ['--json']]) {
      const { status, out, error } = await runCaptured(['show', ...more, '--database', database, '--', id]);
      expect([status, out]).toEqual([1, '']);
      expect(linesOf(error)).toEqual([expect.stringMatching(/^error: no skill has the id "/)]);
      expect(error).not.toContain('\u001b');
    }
  });

  test('says so where the last update is unknown or absurd', async () => {
    const database = await catalogueOf([row('never'), row('absurd', { updatedAt: 9e10 })]);
    expect((await runCaptured(['show', 'never', '--database', database])).out).toMatch(/updated +unknown/);
    const { status, out } = await runCaptured(['show', 'absurd', '--database', database]);
    expect([status, out]).toEqual([0, expect.stringContaining('updated')]);
  });
});

async function catalogueOf(rows: readonly unknown[]): Promise<string> {
  const database = scratchFile('skills.db');
  await buildCatalogue({ semantic: false, database, sources: [rows] });
  return database;
}
