import { fnv1a } from '../../core/index.js';

/** 32-bit hash of a key. */
export function hashOfKey(key: string): number {
  return fnv1a(key);
}

/** A second 32-bit hash of a key: another initial value, and the characters from the last to the first. */
export function checkOfKey(key: string): number {
  return fnv1a([...key].reverse().join(''), 0x5bd1e995);
}
