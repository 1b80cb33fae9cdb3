/**
 * A program that brings a catalogue to a later state and kills itself on the way, for tests.
 *
 *     node --import tsx test/store/transfer/killable-apply.ts BASE NEXT DATABASE fetched|committing|committed|renamed
 *
 * BASE is empty for none. `fetched`: when half of the skills have come. `committing`: before the transaction of a
 * change in place ends. `committed` and `renamed`: just before or just after a whole load replaces the catalogue.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { type Connection, Database } from '../../../src/store/sqlite.js';
import { applyChanges } from '../../../src/store/transfer/apply-changes.js';
import { withChanges } from './states.js';

const [base = '', next = '', database = '', moment] = process.argv.slice(2);

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

if (moment === 'committed' || moment === 'renamed') {
  const { renameSync } = fs;
  fs.renameSync = (from, to) => {
    if (to !== database) return renameSync(from, to);
    if (moment === 'renamed') renameSync(from, to);
    die();
  };
  syncBuiltinESMExports();
}
if (moment === 'committing') {
  const { exec } = Database.prototype;
  Database.prototype.exec = function (this: Connection, sql: string) {
    if (sql === 'COMMIT') die();
    return exec.call(this, sql);
  };
}
await withChanges(
  base === '' ? undefined : base,
  next,
  (changes) => applyChanges(database, changes, { note: 'a 2' }),
  (changes) => ({
    async *images() {
      let come = 0;
      for await (const images of changes.images()) {
        for (const image of images) {
          if (moment === 'fetched' && come * 2 > changes.changed.length) die();
          come += 1;
          yield [image];
        }
      }
    },
  }),
);
