import { isCatalogueAddress } from './database-address.js';

/** Milliseconds after which it is first said what is waited for, and between two times after that. */
const FIRST_TOLD = 4000;
const TOLD_EVERY = 30_000;

/**
 * Says what is waited for while work that needs the local copy of a catalogue takes long: a first copy takes a minute
 * or more, and a server may say nothing.
 *
 * @param database as a user named it; for a file nothing is said
 * @param tell gets a line without line break
 */
export async function tellWhileWaiting<T>(
  database: unknown,
  tell: (line: string) => void,
  work: Promise<T>,
): Promise<T> {
  if (!isCatalogueAddress(database)) return work;
  const began = performance.now();
  const say = (): void => {
    const seconds = Math.round((performance.now() - began) / 1000);
    tell(`waiting for the catalogue at ${shownAddress(database)}: ${seconds} s so far`);
    timer = setTimeout(say, TOLD_EVERY).unref();
  };
  let timer = setTimeout(say, FIRST_TOLD).unref();
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

/** An address without user, password and query. */
function shownAddress(address: string): string {
  const [, scheme, place] = /^([a-z]+:\/\/)(?:[^/?#]*@)?([^?#]*)/i.exec(address) ?? [];
  // What is no proper address may have its password anywhere.
  return scheme === undefined || place === undefined || place.includes('@') ? 'its address' : scheme + place;
}
