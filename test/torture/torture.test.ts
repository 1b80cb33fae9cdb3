import { describe, expect, test } from 'vitest';
import { runTrial } from '../../torture/run-trial.js';
import { TRIALS } from '../../torture/trials.js';

/** All trials together take at most two minutes. `npm run torture` runs them for as long as you like. */
const MILLISECONDS_EACH = 3000;
const SEED = 14;

describe('a short run of the long harness', () => {
  for (const trial of TRIALS) {
    const missing = trial.missing?.();
    test.skipIf(missing !== undefined)(`${trial.name}: ${trial.promise}${missing ? ` (${missing})` : ''}`, async () => {
      const { attempts } = await runTrial(trial, { seed: SEED, milliseconds: MILLISECONDS_EACH });
      expect(attempts).toBeGreaterThan(0);
    });
  }
});
