import type { Access } from '../access/index.js';
import type { SkillSearch } from '../index.js';

/** Whether the files that every search needs can be read now. */
export function askHealth(search: SkillSearch, access: Access | undefined): { healthy: boolean; error?: unknown } {
  try {
    search.check();
    access?.check();
    return { healthy: true };
  } catch (error) {
    return { healthy: false, error };
  }
}
