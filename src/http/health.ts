import type { KeysAndQuotas } from '../access/index.js';
import type { SkillSearch } from '../index.js';
import { after } from './after.js';

/** Whether what every search needs can be read now. */
export interface Health {
  readonly healthy: boolean;
  readonly error?: unknown;
}

/** Never throws nor rejects. */
export function askHealth(search: SkillSearch, access: KeysAndQuotas | undefined): Health | Promise<Health> {
  try {
    search.check();
    const checked = after(access?.check(), (): Health => ({ healthy: true }));
    return checked instanceof Promise ? checked.catch((error: unknown) => ({ healthy: false, error })) : checked;
  } catch (error) {
    return { healthy: false, error };
  }
}
