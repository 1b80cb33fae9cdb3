import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TRIALS } from '../../torture/trials.js';
import { PROJECT, readPage } from './pages.js';

/** A line of a table: the promise, and `trial NAME` or `FILE: TEST`, several with `<br>` between them. */
const rows = [...readPage('docs/promises.md').matchAll(/^\| (.+) \| (trial .+|.+\.ts: .+) \|$/gm)];
const proofs = rows.flatMap(([, promise, proof]) => proof!.split('<br>').map((one) => [one.trim(), promise!] as const));

describe('the page of promises', () => {
  test.each(proofs)('%s exists and proves: %s', (proof) => {
    const trial = /^trial (\S+)$/.exec(proof)?.[1];
    if (trial !== undefined) {
      expect(TRIALS.map(({ name }) => name)).toContain(trial);
      return;
    }
    const [, file, name] = /^(\S+\.ts): (.+?)…?$/.exec(proof) ?? [];
    expect(readFileSync(join(PROJECT, 'test', file!), 'utf8')).toContain(name);
  });

  test('names every trial', () => {
    const named = proofs.map(([proof]) => proof);
    expect(TRIALS.map(({ name }) => `trial ${name}`).filter((trial) => !named.includes(trial))).toEqual([]);
  });

  test('has no line without a proof', () => {
    const lines = readPage('docs/promises.md').match(/^\| (?!promise|---).+$/gm) ?? [];
    expect(lines.length).toBe(rows.length);
  });
});
