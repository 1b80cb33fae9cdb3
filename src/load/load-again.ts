import { isDamage, SkillSearchError } from '../core/index.js';

/**
 * How often a load into a shared catalogue runs, if others change the same skills each time meanwhile. Each time takes
 * as long as reading the sources.
 */
export const MAX_LOADS_AGAIN = 5;

/** Another load has published changes of the same skills. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken' as const;
}

/** A load into a shared catalogue that may have to be run again. */
export interface RepeatableLoad<Begun, Result> {
  /** What messages call the catalogue. */
  readonly shown: string;
  /** Whether it cannot be run twice, because it reads what can be read only once. */
  readonly isOnce: boolean;
  /** Brings the local copy to the newest state. With `anew` nothing that is here is believed: it was damaged. */
  readonly begin: (anew: boolean) => Promise<Begun>;
  readonly run: (begun: Begun) => Promise<Result>;
}

/**
 * Runs a load, and runs it again if it was {@link Overtaken}, a few times, or if what it began with is damaged: the
 * database has the truth. Damage that is found twice in a row is of something else. Where the database itself is
 * damaged, no other copy would be better.
 *
 * @throws {SkillSearchError} `LOAD_IN_PROGRESS` if it is overtaken again and again; whatever else the load throws
 */
export async function loadAgain<Begun, Result>(load: RepeatableLoad<Begun, Result>): Promise<Result> {
  let anew = false;
  for (let attempt = 1; ; attempt++) {
    const begun = await load.begin(anew);
    try {
      return await load.run(begun);
    } catch (error) {
      if (error instanceof Overtaken) {
        if (load.isOnce || attempt >= MAX_LOADS_AGAIN) throw overtakenError(load.shown);
        anew = false;
      } else if (isDamage(error) && error.path !== load.shown && !anew) {
        anew = true;
        if (!load.isOnce) continue;
        // The next load finds it mended.
        await load.begin(anew);
        throw error;
      } else {
        throw error;
      }
    }
  }
}

function overtakenError(shown: string): SkillSearchError {
  const message = `another load into ${shown} changed the same skills meanwhile: load again`;
  return new SkillSearchError('LOAD_IN_PROGRESS', message, { path: shown });
}
