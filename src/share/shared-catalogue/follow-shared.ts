import { setTimeout as wait } from 'node:timers/promises';
import { isPostgresAddress, untilAborted } from '../../core/index.js';
import { readPostgresAddress } from '../postgres/postgres-address.js';
import type { CopyFollower, FollowCopyOptions } from '../snapshot/follower.js';
import { LONGEST_WITH_COPY, tookTooLong } from '../snapshot/follower.js';
import { LocalCopy } from '../snapshot/local-copy.js';
import { CopyKeeper } from './copy-keeper.js';
import { copyState } from './copy-state.js';
import type { FollowThreadData } from './follow-messages.js';
import { indexDueWords } from './index-due-words.js';
import { isWorthAnotherTry } from './is-worth-another-try.js';
import { KnownCopy } from './known-copy.js';
import { sharedCopyFolder, sharedOrigin } from './shared-origin.js';
import { ThreadFollower } from './thread-follower.js';

/** How often a busy database is asked again, in milliseconds. */
const LOOK_AGAIN = 500;

/**
 * Brings the local copy of a shared catalogue up to date, and with an interval keeps it so, in a thread. A copy that is
 * there is used at once then, whether the database answers or not; without an interval the database has a few seconds.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`; `CATALOGUE_EXISTS` if the folder holds another catalogue; if there is no
 *   copy yet: `DATABASE_NOT_FOUND` if nothing was ever published, `DATABASE_NOT_READABLE`, `DATABASE_NOT_WRITABLE`,
 *   `UNSUPPORTED_FORMAT`, `SERVICE_UNAVAILABLE`, `POSTGRES_CLIENT_MISSING`
 * @throws the signal's reason when aborted
 */
export async function followShared(options: FollowCopyOptions): Promise<CopyFollower> {
  const { interval, passwordFile, needsWords = false, signal } = options;
  signal?.throwIfAborted();
  const address = readPostgresAddress('database', options.address);
  const folder = sharedCopyFolder(address, options.cache);
  const files = new LocalCopy(folder, sharedOrigin(address));
  // Whether another database has the same catalogue, as a standby of the former one has, is known once it is asked.
  const isMoved = isPostgresAddress(files.otherOrigin);
  const here = !isMoved && files.exists ? copyState(files.database) : undefined;
  const known = new KnownCopy(files, here);
  if (interval === undefined) {
    const kept = { address, passwordFile, folder };
    const { database } = known;
    // Whoever wrote the copy may have ended before its words were indexed, and perhaps nobody follows it here.
    const finish = async (): Promise<void> => (needsWords ? indexDueWords(database, signal) : undefined);
    await lookOnce(new CopyKeeper(kept), known, options);
    await finish();
    const nothing = async (): Promise<void> => {};
    const mend = async (): Promise<void> => {
      await makeAnew(new CopyKeeper(kept), known, signal);
      await finish();
    };
    return { database, statsOf: (stamp) => known.statsOf(stamp), look: nothing, mend, close: nothing };
  }
  const data: FollowThreadData = { address: options.address, passwordFile, folder, interval };
  const follower = new ThreadFollower(data, known, options);
  if (here === undefined) await follower.usable(signal);
  return follower;
}

async function makeAnew(keeper: CopyKeeper, known: KnownCopy, signal: AbortSignal | undefined): Promise<void> {
  try {
    const looking = keeper.look({ signal, index: 'nothing', anew: true });
    known.agreed(await untilAborted(looking, signal));
  } finally {
    await keeper.close();
  }
}

async function lookOnce(keeper: CopyKeeper, known: KnownCopy, { signal, onProblem }: FollowCopyOptions): Promise<void> {
  const tooLong = known.exists ? AbortSignal.timeout(LONGEST_WITH_COPY) : undefined;
  const either = AbortSignal.any([signal, tooLong].filter((end) => end !== undefined));
  const began = performance.now();
  try {
    for (;;) {
      try {
        // Vectors take minutes, and can be searched without: whoever follows the copy indexes them. Words come after.
        const looking = keeper.look({ signal: either, index: known.exists ? 'nothing' : 'all' });
        known.agreed(await untilAborted(looking, either));
        return;
      } catch (error) {
        if (signal?.aborted === true || known.exists || !isWorthAnotherTry(error, began)) throw error;
      }
      await wait(LOOK_AGAIN, undefined, { signal: either });
    }
  } catch (error) {
    if (signal?.aborted === true || !known.exists) throw error;
    onProblem(tooLong?.aborted === true ? tookTooLong() : error);
  } finally {
    const closed = keeper.close();
    // A database that says nothing is not waited for.
    if (!either.aborted) await closed;
  }
}
