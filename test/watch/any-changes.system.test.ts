import { existsSync } from 'node:fs';
import { appendFile, mkdir, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contentOf } from '../catalogue-file.js';
import { temporaryFolder, writeFiles } from '../sources/folders.js';
import { eventually, freshContent, skillText, watching } from './watching.js';

/** Folders that operations work on: some lie in others. */
const FOLDERS = ['a', 'b', 'a/inner', 'group/c', 'group/d', 'group/d/deep/e', 'node_modules/f', '.hidden/g'] as const;
const NAMES = ['SKILL.md', 'skill.md', 'notes.md', 'scripts/run.py', '.env'] as const;

type Operation = (root: string) => Promise<unknown>;

const folder = fc.constantFrom(...FOLDERS);
const name = fc.constantFrom(...NAMES);
const text = fc.integer({ min: 0, max: 99 });

function contentFor(file: string, which: number): string {
  return file.toLowerCase() === 'skill.md' ? skillText(`skill-${which}`) : `text ${which}`;
}

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(folder, name, text).map(
      ([at, file, which]): Operation =>
        (root) =>
          writeFiles(join(root, at), { [file]: contentFor(file, which) }),
    ),
  },
  // As some editors save.
  fc.tuple(folder, name, text).map(
    ([at, file, which]): Operation =>
      async (root) => {
        await writeFiles(join(root, at), { [`.${which}.tmp`]: contentFor(file, which) });
        await mkdir(dirname(join(root, at, file)), { recursive: true });
        await rename(join(root, at, `.${which}.tmp`), join(root, at, file));
      },
  ),
  fc.tuple(folder, text).map(
    ([at, which]): Operation =>
      async (root) => {
        await writeFiles(join(root, at), { 'SKILL.md': '' });
        await appendFile(join(root, at, 'SKILL.md'), skillText(`skill-${which}`));
      },
  ),
  fc.tuple(folder, name).map(
    ([at, file]): Operation =>
      (root) =>
        rm(join(root, at, file), { force: true, recursive: true }),
  ),
  {
    weight: 2,
    arbitrary: folder.map(
      (at): Operation =>
        (root) =>
          rm(join(root, at), { force: true, recursive: true }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(folder, folder).map(
      ([from, to]): Operation =>
        async (root) => {
          if (!existsSync(join(root, from)) || existsSync(join(root, to)) || to.startsWith(`${from}/`)) return;
          await mkdir(dirname(join(root, to)), { recursive: true });
          await rename(join(root, from), join(root, to));
        },
    ),
  },
  fc.tuple(folder, fc.integer({ min: 0, max: 200 })).map(
    ([, pause]): Operation =>
      () =>
        new Promise((resolve) => setTimeout(resolve, pause)),
  ),
);

/** An operation on a folder of any of several agents, or a link from one to the other. */
function installedOperation(withLinks: boolean): fc.Arbitrary<Operation> {
  const agent = fc.constantFrom('.claude/skills', '.codex/skills', '.codex/skills/.system');
  const links = fc.tuple(agent, fc.constantFrom('a', 'b', 'group/c')).map(
    ([at, to]): Operation =>
      async (root) => {
        if (existsSync(join(root, at, 'linked'))) return;
        await mkdir(join(root, at), { recursive: true });
        await symlink(join(root, '.claude/skills', to), join(root, at, 'linked')).catch(() => {});
      },
  );
  const inside = fc.tuple(agent, operation).map(
    ([at, operate]): Operation =>
      (root) =>
        operate(join(root, at)),
  );
  const gone = agent.map(
    (at): Operation =>
      (root) =>
        rm(join(root, at), { recursive: true, force: true }),
  );
  return fc.oneof(
    { weight: 12, arbitrary: inside },
    { weight: 1, arbitrary: gone },
    ...(withLinks ? [{ weight: 2, arbitrary: links }] : []),
  );
}

/** Contents by where the skills lie: ids of skills whose paths are alike depend on which one came first. */
function byPlace(content: ReturnType<typeof contentOf>): Map<string, unknown> {
  return new Map(
    [...content.values()]
      .sort((a, b) => (a.place < b.place ? -1 : 1))
      .map(({ record, contents: [, ...contents] = [], ...others }) => {
        const { id: _, ...fields } = record as { readonly id?: string };
        return [others.place, { ...others, contents, fields }];
      }),
  );
}

describe.each([
  ['told by the system', {}],
  ['polled', { polling: true, pollInterval: 50 }],
])('after any changes of a folder that is watched, %s,', (_, how) => {
  test('the catalogue is that of a new load', { timeout: 240_000 }, async () => {
    const root = await temporaryFolder({ 'skills/stays/SKILL.md': skillText('stays') });
    const source = join(root, 'skills');
    const { database, problems } = await watching({ ...how, sources: [source], database: join(root, 'skills.db') });
    const gone = fc.constant<Operation>((root) => rm(root, { recursive: true, force: true }));
    const any = fc.oneof({ weight: 12, arbitrary: operation }, { weight: 1, arbitrary: gone });
    await fc.assert(
      fc.asyncProperty(fc.array(any, { minLength: 1, maxLength: 12 }), async (operations) => {
        for (const operate of operations) await operate(source);
        await writeFiles(source, { 'stays/SKILL.md': skillText('stays') });
        const expected = await freshContent(database, [source]);
        await eventually(() => expect(contentOf(database)).toEqual(expected));
      }),
      { numRuns: 4, endOnFailure: true },
    );
    expect(problems.filter(({ kind }) => kind !== 'source-missing' && kind !== 'source-back')).toEqual([]);
  });
});

describe.each([
  ['without links', false],
  ['with links between them', true],
])('after any changes of the folders of agents, %s,', (_, withLinks) => {
  test.skipIf(process.platform === 'win32')(
    'the catalogue is that of a new load of what is installed',
    { timeout: 240_000 },
    async () => {
      const home = await temporaryFolder({ '.claude/skills/stays/SKILL.md': skillText('stays'), 'work/x': '' });
      const system = [join(home, '.codex/skills/.system')];
      const installed = { home, cwd: join(home, 'work'), env: {}, folders: { codex: { system } } };
      const sources = [{ installed }];
      const { database, problems } = await watching({ sources, database: join(home, 'skills.db') });
      await fc.assert(
        fc.asyncProperty(
          fc.array(installedOperation(withLinks), { minLength: 1, maxLength: 10 }),
          async (operations) => {
            for (const operate of operations) await operate(home);
            await writeFiles(home, { '.claude/skills/stays/SKILL.md': skillText('stays') });
            const expected = byPlace(await freshContent(database, sources));
            await eventually(() => expect(byPlace(contentOf(database))).toEqual(expected));
          },
        ),
        { numRuns: 4, endOnFailure: true },
      );
      expect(problems).toEqual([]);
    },
  );
});
