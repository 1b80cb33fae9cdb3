import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { anyOf } from '../../src/core/index.js';

describe('a signal joined of others', () => {
  test('is aborted with the first of them, for its reason', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const { signal } = anyOf([one.signal, undefined, other.signal]);
    expect(signal.aborted).toBe(false);
    other.abort('gone');
    one.abort('late');
    expect([signal.aborted, signal.reason]).toEqual([true, 'gone']);
    expect(anyOf([one.signal]).signal.reason).toBe('late');
  });

  test('shares one listener with all others that are joined of the same', () => {
    const shared = new AbortController();
    const joined = Array.from({ length: 20 }, () => anyOf([shared.signal]));
    joined[0]?.end();
    expect(getEventListeners(shared.signal, 'abort')).toHaveLength(1);
    shared.abort('gone');
    expect(joined.map(({ signal }) => signal.reason)).toEqual([undefined, ...Array(19).fill('gone')]);
  });

  test('leaves nothing at them when its work has ended', () => {
    const shared = new AbortController();
    const joined = anyOf([shared.signal, AbortSignal.abort()]);
    joined.end();
    expect(getEventListeners(shared.signal, 'abort')).toEqual([]);
  });
});
