import { describe } from 'vitest';
import { scratchFile } from '../scratch-folder.js';
import { keepsACatalogue } from './contract/loads.js';

describe('a catalogue in a file', () => {
  keepsACatalogue({
    emptyPlace: async () => {
      const place = { database: scratchFile('skills.db') };
      return { loading: () => place, searching: place };
    },
  });
});
