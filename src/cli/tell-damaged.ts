import type { DamagedSkill } from '../index.js';
import type { Output } from './output.js';
import { oneLine } from './terminal-text.js';

/** Says on standard error which skills an answer lacks. */
export function tellDamaged(damaged: readonly DamagedSkill[] | undefined, { error }: Output): void {
  for (const { id = 'without a readable id', reason } of damaged ?? []) {
    error.write(`${oneLine(`damaged: the skill ${id}: ${reason}; load its source again`)}\n`);
  }
}
