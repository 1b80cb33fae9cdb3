/**
 * A program that follows a catalogue and never closes it, for the test that this does not keep a process running.
 *
 *     node --import tsx test/search/following-process.ts DATABASE
 */
import { followCatalogue } from '../../src/index.js';

const search = await followCatalogue({ database: process.argv[2] ?? '' });
process.stdout.write(`${search.stats().skills}\n`);
