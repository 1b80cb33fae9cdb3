import { describe, expect, test } from 'vitest';
import { CurrentState } from '../../../src/search/open-state.js';

class State {
  closed = 0;

  async close(): Promise<void> {
    this.closed += 1;
  }
}

/** A call that ends when it is told to. */
function callOn(states: CurrentState<State>): { readonly state: State; readonly end: () => Promise<void> } {
  let used: State | undefined;
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const ended = states.use(async (state) => {
    used = state;
    await held;
  });
  return {
    state: used!,
    end: () => {
      release();
      return ended;
    },
  };
}

describe('a state that is replaced', () => {
  test('is closed at once if no call runs on it', () => {
    const [first, second] = [new State(), new State()];
    const states = new CurrentState(first);
    states.replace(second);
    expect([first.closed, second.closed]).toEqual([1, 0]);
    expect(states.newest).toBe(second);
  });

  test('is closed when the last call that began on it has ended', async () => {
    const [first, second] = [new State(), new State()];
    const states = new CurrentState(first);
    const [one, two] = [callOn(states), callOn(states)];
    states.replace(second);
    const later = callOn(states);
    expect([one.state, two.state, later.state]).toEqual([first, first, second]);

    await one.end();
    expect(first.closed).toBe(0);
    await two.end();
    expect(first.closed).toBe(1);
    await later.end();
    expect(second.closed).toBe(0);
  });

  test('is closed although its last call fails', async () => {
    const first = new State();
    const states = new CurrentState(first);
    const failing = states.use(async () => {
      await Promise.resolve();
      throw new Error('no answer');
    });
    states.replace(new State());
    await expect(failing).rejects.toThrow('no answer');
    expect(first.closed).toBe(1);
  });
});

describe('closing', () => {
  test('closes the newest state and those that are still in use', async () => {
    const [first, second, third] = [new State(), new State(), new State()];
    const states = new CurrentState(first);
    const running = callOn(states);
    states.replace(second);
    states.replace(third);
    expect(second.closed).toBe(1);
    await states.close();
    expect([first.closed > 0, second.closed, third.closed]).toEqual([true, 1, 1]);
    await running.end();
  });
});
