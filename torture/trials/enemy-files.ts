import { ChildProgram } from '../child-program.js';
import type { EnemyAnswer } from '../programs/enemy-reader.js';
import { randomInteger } from '../random.js';
import type { Trial } from '../trial.js';

export const ENEMY_FILES: Trial = {
  name: 'enemy-files',
  promise:
    'Derived files that somebody made up, with right checksums, give an answer or a coded error: no crash, no endless loop, no read outside, no memory without bound.',
  run: async ({ random, until, folder, say }) => {
    const child = new ChildProgram('enemy-reader', [folder]);
    let [attempts, answers, errors] = [0, 0, 0];
    try {
      do {
        const seed = randomInteger(random, 2 ** 32);
        let answer: EnemyAnswer;
        try {
          answer = await child.ask<EnemyAnswer>(seed);
        } catch (cause) {
          throw new Error(`attempt ${attempts}, files of the seed ${seed}: ${(cause as Error).message}`, { cause });
        }
        if (answer.broken !== undefined) throw new Error(`files of the seed ${seed}, ${answer.done}: ${answer.broken}`);
        attempts += 1;
        answers += answer.answers;
        errors += answer.errors;
        if (attempts % 500 === 0) say(`${attempts} attempts`);
      } while (performance.now() < until);
    } finally {
      child.end();
    }
    return { attempts, facts: { answers, 'coded errors': errors } };
  },
};
