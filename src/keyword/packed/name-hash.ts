import { fnv1a } from '../../text/fnv1a.js';

/** 32 bits of the key of a name. */
export function hashOfName(key: string): number {
  return fnv1a(key);
}

/** 32 more bits: with another start value, over the characters from the last to the first. */
export function checkOfName(key: string): number {
  return fnv1a([...key].reverse().join(''), 0x5bd1e995);
}
