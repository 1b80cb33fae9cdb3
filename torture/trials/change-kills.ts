import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildCatalogue, checkCatalogue, openSkillSearch, removeSkills, updateSkills } from '../../src/index.js';
import { StandInEmbedder } from '../../test/semantic/stand-in-embedder.js';
import { countCalls, killingAt, runProgram, straceMissing } from '../disk/strace.js';
import { askQuestions, QUESTIONS, takeCopy, textOf, trialRow, trialRows } from '../loads.js';
import { oneOf, randomInteger, type Trial } from '../trial.js';

/** System calls that change files. */
const CALLS = ['pwrite64', 'fsync', 'fdatasync', 'unlink', 'ftruncate', 'write'] as const;

const SKILLS = 60;
const CHANGED = 8;

export const CHANGE_KILLS: Trial = {
  name: 'change-kills',
  promise:
    'A small change that is killed at any system call leaves all of it or nothing, at once and for readers that were open before; these go on answering from what they opened.',
  missing: straceMissing,
  begin: async ({ random, until, folder }) => {
    const embedder = new StandInEmbedder();
    const facts = { before: 0, updated: 0, 'updated and removed': 0, 'ended before': 0 };
    let round = 0;
    const attempt = async (): Promise<number> => {
      round += 1;
      const before = join(folder, `before-${round}`);
      mkdirSync(before);
      const database = join(before, 'skills.db');
      await buildCatalogue({ database, sources: [{ name: 'rows', rows: trialRows(random, SKILLS) }], embedder });
      // Some begin at a state that small changes have made.
      if (round % 2 === 1) await updateSkills({ database, rows: [trialRow(random, 3)], source: 'rows', embedder });
      const change = join(folder, `change-${round}.json`);
      const rows = Array.from({ length: CHANGED }, () => trialRow(random, randomInteger(random, SKILLS + CHANGED)));
      const ids = rows.slice(0, 3).map(({ id }) => id);
      writeFileSync(change, JSON.stringify({ rows, ids }));

      const whole = join(folder, 'whole');
      takeCopy(before, whole);
      const reference = join(whole, 'skills.db');
      await updateSkills({ database: reference, rows, source: 'rows', embedder });
      const states: Record<string, string> = { [textOf(database)]: 'before', [textOf(reference)]: 'updated' };
      await removeSkills({ database: reference, ids });
      const end = textOf(reference);
      states[end] = 'updated and removed';

      takeCopy(before, whole);
      const calls = await countCalls({ args: ['change', reference, change] }, CALLS, join(folder, 'calls'));
      let kills = 0;
      for (; kills < 20 && (kills === 0 || performance.now() < until); kills++) {
        const { call, count } = oneOf(random, calls);
        const when = 1 + randomInteger(random, count);
        const killed = join(folder, 'killed');
        takeCopy(before, killed);
        const path = join(killed, 'skills.db');
        await using opened = await openSkillSearch({ database: path, embedder });
        const asked = (): string => JSON.stringify(QUESTIONS.map((q) => opened.keyword({ q, copies: 'keep' })));
        const answers = asked();
        const { signal } = await runProgram({ args: ['change', path, change], strace: killingAt(call, when) });
        if (signal !== 'SIGKILL') facts['ended before'] += 1;
        try {
          if (asked() !== answers) throw new Error('an open search answers otherwise than before');
          await askQuestions(path, true);
          const state = states[textOf(path)];
          if (state === undefined) throw new Error('the catalogue is in no state of the change');
          facts[state as 'before'] += 1;
          await updateSkills({ database: path, rows, source: 'rows', embedder });
          await removeSkills({ database: path, ids });
          if (textOf(path) !== end) throw new Error('the same change again ends with another catalogue');
          const { problems } = await checkCatalogue({ database: path });
          if (problems.length > 0) throw new Error(`the catalogue is damaged: ${problems[0]!.problem}`);
          if (asked() !== answers) throw new Error('an open search answers otherwise after the second change');
        } catch (cause) {
          throw new Error(`killed at ${call} number ${when}: ${(cause as Error).stack}`, { cause });
        }
      }
      return kills;
    };
    return { facts, attempt };
  },
};
