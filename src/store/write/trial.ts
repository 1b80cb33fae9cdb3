import type { Connection } from '../sqlite/connection.js';

/** Sees what a small change would make of a catalogue. The change is undone then. */
export interface Trial {
  /**
   * Called when the transaction of the change has begun, before anything is written in it.
   *
   * @param connection that the change is written with
   */
  begin(connection: Connection): void;
  /**
   * Called when all of the change is written. Not called if it changes nothing.
   *
   * @param next the catalogue as the change would leave it
   * @param base the catalogue as it is
   */
  see(next: Connection, base: Connection): void;
}
