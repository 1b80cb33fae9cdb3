import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LeastRate, type TooSlowError } from '../../../src/share/snapshot/origin.js';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('an answer', () => {
  test('is given up when nothing came for 15 seconds', () => {
    const told = watched();
    vi.advanceTimersByTime(14_999);
    expect(told.messages).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(told.messages).toEqual(['nothing came within 15 seconds']);
  });

  test('goes on while 32 KiB come within 15 seconds, and is given up where a byte less comes', () => {
    const told = watched();
    for (let i = 0; i < 10; i++) {
      told.rate.came(32 * 1024);
      vi.advanceTimersByTime(15_000);
    }
    expect(told.messages).toEqual([]);
    told.rate.came(32 * 1024 - 1);
    vi.advanceTimersByTime(15_000);
    expect(told.messages).toEqual(['only 32767 bytes came within 15 seconds']);
  });

  test('is given up once, and never after its end', () => {
    const slow = watched();
    const ended = watched();
    ended.rate.stop();
    vi.advanceTimersByTime(60_000);
    expect(slow.messages).toHaveLength(1);
    expect(ended.messages).toEqual([]);
  });
});

function watched(): { readonly rate: LeastRate; readonly messages: string[] } {
  const messages: string[] = [];
  const onSlow = ({ message }: TooSlowError): void => void messages.push(message);
  return { rate: new LeastRate(onSlow), messages };
}
