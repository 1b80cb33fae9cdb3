import { describe, expect, test } from 'vitest';
import { runTrial } from '../../torture/trial.js';
import { TRIALS } from '../../torture/trials.js';

/** All trials together take some minutes. `npm run torture` runs them for as long as you like. */
const MILLISECONDS_EACH = 3000;
/** Of a trial on a busy machine. An attack loads a catalogue and starts a server first. */
const LONGEST = 240_000;
const SEED = 14;

describe('a short run of the long harness', () => {
  for (const trial of TRIALS) {
    const missing = trial.missing?.();
    const name = `${trial.name}: ${trial.promise}${missing ? ` (${missing})` : ''}`;
    const attempt = async (): Promise<void> => {
      const { attempts } = await runTrial(trial, { seed: SEED, milliseconds: MILLISECONDS_EACH });
      expect(attempts).toBeGreaterThan(0);
    };
    test.skipIf(missing !== undefined)(name, attempt, LONGEST);
  }
});
