// Appends lines to the log of a catalogue: `append-usage.ts DATABASE SESSION COUNT`.
import { appendUsage } from '../../src/core/index.js';

const [database, session, count] = process.argv.slice(2) as [string, string, string];
for (let time = 1; time <= Number(count); time++) {
  appendUsage(database, {
    time,
    host: 'library',
    session,
    kind: 'used',
    skills: ['a skill'],
    vector: 'AAEC',
    model: 'm',
  });
}
