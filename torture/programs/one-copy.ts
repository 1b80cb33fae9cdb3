/**
 * Copies a catalogue over another one.
 *
 *     one-copy.ts FROM TO
 */
import { copyCatalogue } from '../../src/index.js';
import { untilTold } from '../disk/strace.js';

const [from = '', to = ''] = process.argv.slice(2);
await untilTold();
await copyCatalogue({ from, to, ...{ overwrite: true } });
