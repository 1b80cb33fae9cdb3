import { describe, expect, test } from 'vitest';
import { SkillSearchError } from '../../src/core/index.js';
import { loadAgain, MAX_LOADS_AGAIN, Overtaken } from '../../src/load/load-again.js';

const damage = (): Error => new SkillSearchError('DATABASE_DAMAGED', 'damaged');

/** Runs a load that fails so, time after time, and then succeeds. */
async function run(failures: readonly Error[], isOnce = false) {
  const begun: boolean[] = [];
  const left = [...failures];
  const result = await loadAgain({
    shown: 'the database',
    isOnce,
    begin: async (anew) => begun.push(anew),
    run: async (time) => {
      const failure = left.shift();
      if (failure !== undefined) throw failure;
      return `run ${time}`;
    },
  }).catch((error: Error) => error);
  return { result, begun };
}

describe('a load that has to be run again', () => {
  test('is run once if nothing is wrong, and not again after an error', async () => {
    const failure = new Error('the disk is full');
    expect(await run([])).toEqual({ result: 'run 1', begun: [false] });
    expect(await run([failure])).toEqual({ result: failure, begun: [false] });
  });

  test('begins with the newest state each time that it was overtaken, a few times', async () => {
    const overtaken = Array.from({ length: MAX_LOADS_AGAIN }, () => new Overtaken());
    expect(await run(overtaken.slice(1))).toMatchObject({ result: `run ${MAX_LOADS_AGAIN}` });
    expect(await run(overtaken)).toMatchObject({
      result: { code: 'LOAD_IN_PROGRESS' },
      begun: overtaken.map(() => false),
    });
  });

  test('believes nothing that is here after damage, and gives up if that is damaged, too', async () => {
    expect(await run([damage()])).toEqual({ result: 'run 2', begun: [false, true] });
    expect(await run([damage(), damage()])).toMatchObject({
      result: { code: 'DATABASE_DAMAGED' },
      begun: [false, true],
    });
    expect(await run([damage(), new Overtaken(), damage()])).toEqual({
      result: 'run 4',
      begun: [false, true, false, true],
    });
  });

  test('is not run again where the database is damaged, because another copy would be no better', async () => {
    const failure = new SkillSearchError('DATABASE_DAMAGED', 'damaged', { path: 'the database' });
    expect(await run([failure])).toEqual({ result: failure, begun: [false] });
  });

  test('is not run again if it can be read only once, but leaves what is whole to the next one', async () => {
    expect(await run([new Overtaken()], true)).toMatchObject({ result: { code: 'LOAD_IN_PROGRESS' }, begun: [false] });
    expect(await run([damage()], true)).toMatchObject({ result: { code: 'DATABASE_DAMAGED' }, begun: [false, true] });
  });
});
