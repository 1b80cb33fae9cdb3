/**
 * Copies a catalogue over another one.
 *
 *     one-copy.ts FROM TO
 */
import { copyCatalogue } from '../../src/index.js';

const [from = '', to = ''] = process.argv.slice(2);
await copyCatalogue({ from, to, ...{ overwrite: true } });
