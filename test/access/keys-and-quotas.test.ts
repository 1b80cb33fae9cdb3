import { describe } from 'vitest';
import { openAccess } from '../../src/access/index.js';
import { Database } from '../../src/store/sqlite.js';
import { scratchFile } from '../scratch-folder.js';
import { keepsKeysAndQuotas } from './keys-and-quotas.js';

describe('in a file', () => {
  keepsKeysAndQuotas({
    emptyPlace: async () => scratchFile('access.db'),
    open: async (options) => openAccess(options),
    counted: async (state) => {
      const database = new Database(state);
      const columns = 'client, day, day_count AS dayCount, minute_count AS minuteCount';
      const rows = database.prepare(`SELECT ${columns} FROM usage ORDER BY client`).all();
      database.close();
      return rows as never;
    },
  });
});
