import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { temporaryFolder, writeFiles } from '../sources/folders.js';
import { eventually, namesIn, skillText, watching } from './watching.js';

describe('shared watch', () => {
  // For a machine with twenty other things to do.
  vi.setConfig({ testTimeout: 240_000 });

  const PROGRAM = fileURLToPath(new URL('watching-program.ts', import.meta.url));

  /** A program that watches. */
  interface Program {
    readonly child: ChildProcess;
    /** What it has told. */
    readonly words: string[];
  }

  function start(database: string, folder: string): Program {
    const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, database, folder], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const words: string[] = [];
    child.stdout!.setEncoding('utf8').on('data', (text: string) => words.push(...text.split('\n').filter(Boolean)));
    return { child, words };
  }

  const loads = ({ words }: Program): number => words.filter((word) => word === 'words').length;
  const follows = ({ words }: Program): boolean => words.includes('watched-elsewhere');

  test('of several processes that watch the same one loads, and another takes over when it is killed or ends', async () => {
    const folder = await temporaryFolder({ 'a/SKILL.md': skillText('a') });
    const database = scratchFile('skills.db');
    let programs = [start(database, folder), start(database, folder), start(database, folder)];
    await eventually(() => expect(programs.every(({ words }) => words.includes('ready'))).toBe(true));
    expect(programs.map(loads).sort()).toEqual([0, 0, 1]);
    expect(programs.filter(follows).length).toBe(2);
    expect(namesIn(database)).toEqual(['a']);

    await writeFiles(folder, { 'b/SKILL.md': skillText('b') });
    await eventually(() => expect(programs.map(loads).sort()).toEqual([0, 0, 2]));
    expect(namesIn(database)).toEqual(['a', 'b']);

    const first = programs.find((program) => loads(program) === 2)!;
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    // Nobody watches now.
    await writeFiles(folder, { 'c/SKILL.md': skillText('c') });
    programs = programs.filter((program) => program !== first);
    await eventually(() => expect(namesIn(database)).toEqual(['a', 'b', 'c']));
    await eventually(() => expect(programs.map(loads).sort()).toEqual([0, 1]));

    const [second, third] = loads(programs[0]!) === 1 ? programs : programs.toReversed();
    rmSync(join(folder, 'a'), { recursive: true });
    await eventually(() => expect(namesIn(database)).toEqual(['b', 'c']));
    second!.child.stdin!.write('end\n');
    await once(second!.child, 'exit');
    await eventually(() => expect(loads(third!)).toBe(1));
    await writeFiles(folder, { 'd/SKILL.md': skillText('d') });
    await eventually(() => expect(namesIn(database)).toEqual(['b', 'c', 'd']));
    third!.child.stdin!.write('end\n');
    await once(third!.child, 'exit');
    expect(readdirSync(dirname(database)).filter((name) => name.includes('.watch-'))).toEqual([]);
  });

  test('watches of one process share, and those of other sources or options do not', async () => {
    const folder = await temporaryFolder({ 'a/SKILL.md': skillText('a') });
    const other = await temporaryFolder({ 'z/SKILL.md': skillText('z') });
    const database = join(scratchFolder(), 'skills.db');
    const first = await watching({ database, sources: [folder] });
    const same = await watching({ database, sources: [folder] });
    const different = [
      await watching({ database, sources: [other] }),
      await watching({ database, sources: [folder], author: 'somebody' }),
      await watching({ database, sources: [folder], contents: false }),
    ];
    const kinds = ({ problems }: typeof first): string[] => problems.map(({ kind }) => kind);
    expect([first, ...different].map(({ changes }) => changes.length > 0)).toEqual([true, true, true, true]);
    expect([first, ...different].flatMap(kinds)).not.toContain('watched-elsewhere');
    expect(same.changes).toEqual([]);
    expect(kinds(same)).toEqual(['watched-elsewhere']);
    await first.watch.close();
    await eventually(() => expect(same.changes.length).toBeGreaterThan(0));
  });
});
