import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { drawNegatives } from '../../scripts/tune-model/negatives.js';
import { BUNDLED_MODEL, buildCatalogue } from '../../src/index.js';
import { type Row, row, toJsonLines } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';

const SCRIPT = fileURLToPath(new URL('../../scripts/tune-model/mine-pairs.ts', import.meta.url));

/** Runs the script over a catalogue of rows. */
async function mine(rows: readonly Row[], ...words: readonly string[]) {
  const database = scratchFile('skills.db');
  const semantic = words.includes('--negatives') ? { model: BUNDLED_MODEL } : { semantic: false };
  await buildCatalogue({ database, sources: [{ name: 'rows', rows }], ...semantic });
  const ran = spawnSync(process.execPath, ['--import', 'tsx', SCRIPT, '--database', database, ...words], {
    encoding: 'utf8',
  });
  const pairs = ran.stdout.split('\n').filter((line) => line !== '');
  return { ...ran, pairs: pairs.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

/** A skill about one matter, with a quoted phrase. */
function skillRow(id: string, phrase: string, more: Row = {}): Row {
  const description = `Keeps a diary of ${id} and plans the work of the whole year. Triggers: "${phrase}".`;
  return row(id, { name: id, description, files: [{ filename: 'SKILL.md', text: '' }], ...more });
}

function file(text: string): string {
  const path = scratchFile('lines.txt');
  writeFileSync(path, text);
  return path;
}

describe('mine-pairs', () => {
  test('takes a phrase of copies once, leaves out what many skills have and what is held out', async () => {
    const rows = [
      skillRow('pears', 'prune my pear tree'),
      { ...skillRow('pears', 'prune my pear tree'), id: 'copy-of-pears', stars: 9 },
      { ...skillRow('quinces', 'prune my quince tree'), id: 'held-out' },
      ...['plums', 'figs', 'kiwis', 'limes'].map((id) => skillRow(id, 'Plan my garden year!')),
    ];
    const { pairs, stderr } = await mine(rows, '--kind', 'quote', '--without', file('held-out\nunknown\n'));
    expect(pairs).toEqual([
      {
        text: 'prune my pear tree',
        skill: 'copy-of-pears',
        document: 'pears. Keeps a diary of pears and plans the work of the whole year. Triggers.',
        kind: 'quote',
        language: 'en',
      },
    ]);
    expect(stderr).toContain('ids to hold out that the catalogue lacks: 1');
    expect(stderr).toContain('texts that more than 3 skills have: 4');
  });

  test('makes pairs of requests that people wrote, with negatives that are other skills', async () => {
    const rows = Array.from({ length: 8 }, (_, i) => skillRow(`orchard-${i}`, `prune tree number ${i}`));
    const requests = toJsonLines([
      { skill: 'orchard-1', request: 'Wann schneide ich?', language: 'DE', english: 'When do I cut?' },
      { skill: 'orchard-1', request: 'wann schneide ich', language: 'de' },
      { skill: 'apples', request: 'cut', language: 'en' },
    ]);
    const words = ['--kind', 'request', '--requests', file(requests), '--negatives', '3'];
    const { pairs, stderr } = await mine(rows, ...words);
    expect(pairs).toMatchObject([
      { text: 'Wann schneide ich?', skill: 'orchard-1', kind: 'request', language: 'de', english: 'When do I cut?' },
    ]);
    expect(pairs[0]!['negatives']).not.toContain('orchard-1');
    expect(stderr).toContain('requests that are repeated: 1');
    expect(stderr).toContain('requests for skills that the catalogue lacks: 1');
  });

  test('says which option or line is wrong', async () => {
    const rows = [skillRow('pears', 'prune my pear tree')];
    expect((await mine(rows, '--kind', 'quotes')).stderr).toContain('--kind must be one of quote, file-quote');
    expect((await mine(rows, '--requests', file('{"skill": "pears"}'))).stderr).toContain(
      ':1: expected a request: an object with the texts `skill`, `request` and `language`',
    );
  });
});

describe('negatives of a pair', () => {
  const others = (...cosines: number[]) => cosines.map((cosine, group) => ({ group, cosine }));

  test('are none of the two nearest, and none that has the same phrase', () => {
    const neighbours = { right: 1, others: others(0.9, 0.8, 0.7, 0.6) };
    expect(drawNegatives(neighbours, 5, new Set(), Math.random)).toEqual([2, 3]);
    expect(drawNegatives(neighbours, 5, new Set([2]), Math.random)).toEqual([3]);
  });

  test('have at most 95 % of the cosine of the right skill', () => {
    const neighbours = { right: 0.8, others: others(0.9, 0.85, 0.8, 0.77, 0.75, 0.5) };
    expect(drawNegatives(neighbours, 5, new Set(), Math.random)).toEqual([4, 5]);
  });
});
