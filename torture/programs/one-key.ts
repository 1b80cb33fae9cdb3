/**
 * Makes a key and revokes the first one while a server has the state file open, and dies without closing it.
 *
 *     one-key.ts STATE
 */
import { openAccess } from '../../src/access/index.js';
import { untilTold } from '../disk/strace.js';

const [state = ''] = process.argv.slice(2);
const server = openAccess({ state });
const access = openAccess({ state });
await untilTold();
access.revokeKey(1);
const { id } = access.createKey();
server.check();
process.stdout.write(`${id}`, () => process.kill(process.pid, 'SIGKILL'));
