import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { GatheredChanges, MAX_GATHERED_EVENTS } from '../../src/watch/plan-load.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function gathering() {
  const onDue = vi.fn();
  return { onDue, gathered: new GatheredChanges<string>({ quiet: 100, longest: 1000 }, onDue) };
}

describe('changes', () => {
  test('are due when it is quiet', () => {
    const { gathered, onDue } = gathering();
    gathered.add('source', 'a');
    vi.advanceTimersByTime(90);
    gathered.add('source', 'b');
    vi.advanceTimersByTime(90);
    expect(onDue).not.toHaveBeenCalled();
    vi.advanceTimersByTime(11);
    expect(onDue).toHaveBeenCalledTimes(1);
    expect(gathered.take()).toEqual(
      new Map([['source', { paths: new Set(['a', 'b']), everything: false, events: 2 }]]),
    );
  });

  test('are due after the longest wait, though there are more', () => {
    const { gathered, onDue } = gathering();
    for (let i = 0; i < 10; i++) {
      gathered.add('source', String(i));
      vi.advanceTimersByTime(99);
    }
    expect(onDue).not.toHaveBeenCalled();
    gathered.add('source', 'last');
    vi.advanceTimersByTime(20);
    expect(onDue).toHaveBeenCalledTimes(1);
  });

  test('are due once until they are taken, and again with the next ones', () => {
    const { gathered, onDue } = gathering();
    expect(gathered.firstAt).toBeUndefined();
    gathered.add('source', 'a');
    vi.advanceTimersByTime(5000);
    expect(onDue).toHaveBeenCalledTimes(1);
    gathered.take();
    expect(gathered.firstAt).toBeUndefined();
    vi.advanceTimersByTime(5000);
    expect(onDue).toHaveBeenCalledTimes(1);
    gathered.add('other', 'b');
    vi.advanceTimersByTime(101);
    expect(onDue).toHaveBeenCalledTimes(2);
    expect([...gathered.take().keys()]).toEqual(['other']);
  });

  test('that are put back wait with the new ones, and as long as they have waited', () => {
    const { gathered, onDue } = gathering();
    const first = performance.now();
    vi.advanceTimersByTime(950);
    gathered.add('source', 'b');
    gathered.putBack(new Map([['source', { paths: new Set(['a']), everything: false }]]), first);
    vi.advanceTimersByTime(101);
    expect(onDue).toHaveBeenCalledTimes(1);
    expect(gathered.take().get('source')?.paths).toEqual(new Set(['b', 'a']));
  });

  test('that are too many are a change of everything', () => {
    const { gathered } = gathering();
    for (let i = 0; i <= MAX_GATHERED_EVENTS; i++) gathered.add('source', 'the same again and again');
    gathered.add('source', 'a');
    expect(gathered.take().get('source')).toMatchObject({ paths: new Set(), everything: true });
  });

  test('that are put back again and again, with new ones, become a change of everything', () => {
    const { gathered } = gathering();
    let rounds = 0;
    for (let taken = gathered.take(); taken.get('source')?.everything !== true; taken = gathered.take()) {
      expect(taken.get('source')?.paths.size ?? 0).toBeLessThanOrEqual(MAX_GATHERED_EVENTS);
      for (let i = 0; i < 1000; i++) gathered.add('source', `${rounds}/${i}`);
      gathered.putBack(taken, 0);
      rounds += 1;
    }
    expect(rounds).toBe(MAX_GATHERED_EVENTS / 1000 + 1);
  });

  test('of everything swallow the others, also those that are put back', () => {
    const { gathered } = gathering();
    gathered.add('source', 'a');
    gathered.addEverything('source');
    gathered.putBack(new Map([['source', { paths: new Set(['b']), everything: false }]]), 0);
    expect(gathered.take().get('source')).toMatchObject({ paths: new Set(), everything: true });
    gathered.add('source', 'a');
    gathered.putBack(new Map([['source', { paths: new Set(), everything: true }]]), 0);
    expect(gathered.take().get('source')).toMatchObject({ everything: true });
  });

  test('are never due once nobody waits for them', () => {
    const { gathered, onDue } = gathering();
    gathered.add('source', 'a');
    gathered.close();
    vi.advanceTimersByTime(5000);
    expect(onDue).not.toHaveBeenCalled();
  });
});
