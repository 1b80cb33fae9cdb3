import { ATTACKS } from '../attacks/attacks.js';
import { runAttack } from '../attacks/run-attack.js';
import type { Trial } from '../trial.js';

/** A trial for each attack. */
export const ATTACK_TRIALS: readonly Trial[] = ATTACKS.map((attack) => ({
  name: `attack-${attack.name}`,
  promise: `Under ${attack.what}, another address has its answers, no turn of the event loop takes long, and memory is bounded.`,
  missing: ({ catalogue }) => {
    if (process.platform !== 'linux') return 'it reads /proc and comes from several addresses 127.x.x.x';
    return attack.catalogue === 'given' && catalogue === undefined ? 'no --catalogue is given' : undefined;
  },
  run: (context) => runAttack(attack, context),
}));
