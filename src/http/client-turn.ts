import type { Call } from './call.js';
import { ClientGone } from './error-content.js';

/**
 * Waits until it is the client's turn again.
 *
 * @throws {ClientGone} if nobody waits for the answer any more
 */
export async function clientTurn(call: Call): Promise<void> {
  await call.turn();
  if (call.signal?.aborted === true) throw new ClientGone();
}
