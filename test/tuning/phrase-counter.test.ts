import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MOST_SKILLS, PhraseCounter } from '../../src/tuning/phrase-counter.js';

/** Phrases and the groups that have them, as a Map. */
class NaiveCounter {
  readonly #groups = new Map<string, Set<number>>();

  add(key: string, group: number): void {
    this.#groups.set(key, (this.#groups.get(key) ?? new Set()).add(group));
  }

  get size(): number {
    return this.#groups.size;
  }

  groupsOf(key: string): readonly number[] | undefined {
    const groups = [...(this.#groups.get(key) ?? [])];
    return groups.length > MOST_SKILLS ? undefined : groups;
  }
}

test('counts as a naive counter does, whatever the order and however often it grows', () => {
  const additions = fc.array(fc.tuple(fc.nat(3000), fc.nat(6)), { maxLength: 4000 });
  fc.assert(
    fc.property(additions, (all) => {
      const [counter, naive] = [new PhraseCounter(), new NaiveCounter()];
      for (const [phrase, group] of all) {
        counter.add(`phrase ${phrase}`, group);
        naive.add(`phrase ${phrase}`, group);
      }
      expect(counter.size).toBe(naive.size);
      for (const [phrase] of all) {
        expect(counter.groupsOf(`phrase ${phrase}`)).toEqual(naive.groupsOf(`phrase ${phrase}`));
      }
      expect(counter.groupsOf('never seen')).toEqual([]);
    }),
    { numRuns: 30 },
  );
});

test('grows beyond its first table', () => {
  const counter = new PhraseCounter();
  for (let i = 0; i < 20_000; i++) counter.add(`phrase ${i % 10_000}`, i < 10_000 ? 0 : 1);
  expect(counter.size).toBe(10_000);
  expect(counter.groupsOf('phrase 9999')).toEqual([0, 1]);
});
