import { expect, test } from 'vitest';
import { type QuotaClient, QuotaLedger } from '../../../bench/cluster/quota-ledger.js';

function ledgerOf(...limits: readonly number[]): QuotaLedger {
  const clients = limits.map((limit): QuotaClient => ({ limit, headers: {}, answered: 0, refused: 0, unknown: 0 }));
  return new QuotaLedger(() => clients.shift());
}

test('the next client asks when one has been refused often enough', () => {
  const ledger = ledgerOf(10, 20);
  const first = ledger.client()!;
  expect(ledger.client()).toBe(first);
  first.refused = 100;
  expect(ledger.client()!.limit).toBe(20);
  ledger.client()!.refused = 100;
  expect(ledger.client()).toBeUndefined();
});

test('a client that was answered more often than its quota allows is a fault', () => {
  const ledger = ledgerOf(10);
  Object.assign(ledger.client()!, { answered: 11 });
  expect(ledger.faults()).toEqual(['client 0 of a quota of 10 was answered 11 times']);
});

test('answers may be missing where their requests were lost, and nowhere else', () => {
  const ledger = ledgerOf(10, 10, 10);
  Object.assign(ledger.client()!, { answered: 10, refused: 100 });
  Object.assign(ledger.client()!, { answered: 8, unknown: 2, refused: 100 });
  expect(ledger.faults()).toEqual([]);
  Object.assign(ledger.client()!, { answered: 7, unknown: 2, refused: 1 });
  expect(ledger.faults()).toHaveLength(1);
  expect(ledger.figures()).toEqual({ usedUp: 3, exact: 1, missing: 5, unknown: 4 });
});

test('a client that was never refused may have been answered less often', () => {
  const ledger = ledgerOf(10);
  Object.assign(ledger.client()!, { answered: 3 });
  expect(ledger.faults()).toEqual([]);
  expect(ledger.figures().usedUp).toBe(0);
});
