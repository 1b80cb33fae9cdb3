import { describe, expect, test } from 'vitest';
import { minePairs } from '../../src/tuning/index.js';
import { row } from '../rows.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { catalogueOf, linesFile, mineAll, skillRow } from './catalogue.js';

const QUOTES = { kinds: ['quote'] } as const;

/** Text and skill of each pair, sorted. */
async function quotesOf(database: string, more: object = {}): Promise<string[]> {
  const { pairs } = await mineAll({ database, ...QUOTES, ...more });
  return pairs.map(({ text, skill }) => `${skill}: ${text}`).sort();
}

/** A text long enough that its copies are found by it. */
const LONG_TEXT = Array.from({ length: 120 }, (_, i) => `word${i} of the long text`).join(' ');

describe('minePairs', () => {
  test('gives text, skill, document, kind and language of each pair', async () => {
    const database = await catalogueOf([skillRow('pears', 'prune my pear tree')]);
    const { pairs, report } = await mineAll({ database, ...QUOTES, sample: 5 });
    expect(pairs).toEqual([
      {
        text: 'prune my pear tree',
        skill: 'pears',
        document: 'pears. Keeps a diary of pears and plans the work of the whole year. Triggers.',
        kind: 'quote',
        language: 'en',
      },
    ]);
    expect(report).toMatchObject({ pairs: 1, skills: 1, byLanguage: { en: 1 }, sample: pairs });
    expect(report.byKind).toMatchObject({ quote: 1, name: 0 });
  });

  test('drops a phrase that more than three skills have, and keeps one of three', async () => {
    const rows = ['pears', 'plums', 'figs'].map((id) => skillRow(id, 'plan my garden year'));
    expect(await quotesOf(await catalogueOf(rows))).toHaveLength(3);
    const database = await catalogueOf([...rows, skillRow('kiwis', 'Plan my Garden year!')]);
    const { pairs, report } = await mineAll({ database, ...QUOTES });
    expect(pairs).toEqual([]);
    expect(report.leftOut.frequent).toBeGreaterThanOrEqual(4);
  });

  test('takes a phrase of a skill and its copies once, and counts it once', async () => {
    const copies = [1, 2, 3, 4].map((n) => ({
      ...skillRow('pears', 'prune my pear tree'),
      id: `pears-${n}`,
      stars: n,
    }));
    expect(await quotesOf(await catalogueOf(copies))).toEqual(['pears-4: prune my pear tree']);
  });

  test('leaves out what is held out, with its copies by description and by nearly the same text', async () => {
    const text = { files: [{ filename: 'SKILL.md', text: LONG_TEXT }] };
    const rows = [
      skillRow('pears', 'prune my pear tree', text),
      { ...skillRow('pears', 'prune my pear tree'), id: 'copy-of-description' },
      { ...skillRow('pears', 'shape an old pear tree', text), id: 'nearly-the-same-text' },
      skillRow('plums', 'prune my plum tree'),
    ];
    const database = await catalogueOf(rows);
    expect(await quotesOf(database)).toHaveLength(3);
    const without = linesFile(['pears', 'never-heard-of']);
    expect(await quotesOf(database, { without })).toEqual(['plums: prune my plum tree']);
    const { report } = await mineAll({ database, without, negatives: 3, embedder: new StandInEmbedder() });
    expect(report.leftOut).toMatchObject({ heldOut: 3, unknownIds: 1 });
    expect(report.skills).toBe(1);
  });

  test('makes the same pairs of the same seed, and others of another', async () => {
    const phrases = Array.from({ length: 12 }, (_, i) => `"prune tree number ${i}"`).join(', ');
    const rows = ['pears', 'plums', 'figs'].map((id) => {
      return row(id, {
        name: id,
        description: `Keeps a diary of ${id} for the whole year: ${phrases.replaceAll('tree', id)}`,
      });
    });
    const database = await catalogueOf(rows);
    const [first, again, other] = [
      await quotesOf(database, { seed: 7 }),
      await quotesOf(database, { seed: 7 }),
      await quotesOf(database, { seed: 8 }),
    ];
    expect(first).toHaveLength(6);
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    expect(await quotesOf(database, { perSkill: 5 })).toHaveLength(15);
  });

  test('what a skill gives does not depend on other skills', async () => {
    const phrases = Array.from({ length: 12 }, (_, i) => `"prune tree number ${i}"`).join(', ');
    const pears = row('pears', { name: 'pears', description: `Keeps a diary of pears for the whole year: ${phrases}` });
    const alone = await quotesOf(await catalogueOf([pears]));
    const among = await quotesOf(await catalogueOf([skillRow('apples', 'prune my apple tree'), pears]));
    expect(among.filter((line) => line.startsWith('pears'))).toEqual(alone);
  });

  test('reads each skill twice and tells how far it is', async () => {
    const rows = Array.from({ length: 70 }, (_, i) => skillRow(`skill-${i}`, `prune tree number ${i}`));
    const database = await catalogueOf(rows, false);
    const seen: string[] = [];
    await mineAll({ database, onProgress: ({ phase, done, total }) => seen.push(`${phase} ${done}/${total}`) });
    expect(seen).toEqual(['counting', 'writing'].flatMap((phase) => [32, 64, 70].map((done) => `${phase} ${done}/70`)));
  });

  test('counts as left out only what is of the kinds that are made', async () => {
    const rows = ['pears', 'plums', 'figs', 'kiwis'].map((id) => skillRow(id, 'plan my garden year'));
    const database = await catalogueOf(rows, false);
    const { report } = await mineAll({ database, kinds: ['name'] });
    expect(report.leftOut.frequent).toBe(0);
    expect((await mineAll({ database, ...QUOTES })).report.leftOut.frequent).toBe(4);
  });

  test('stops when aborted', async () => {
    const database = await catalogueOf([skillRow('pears', 'prune my pear tree')]);
    await expect(mineAll({ database, signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  });

  test.each([
    [{ negatives: 31 }, /^negatives must be an integer from 0 to 30/],
    [{ perSkill: 0 }, /^perSkill must be an integer from 1 to 100/],
    [{ kinds: ['quotes'] }, /^kinds must be one of quote, file-quote/],
    [{ kinds: [] }, /^kinds must be a list of kinds/],
    [{ nearestTo: 'name' }, /^nearestTo must be one of skill, text/],
    [{ without: '' }, /^without must be the path of a file/],
    [{ perskill: 2 }, /did you mean perSkill/],
  ])('refuses %j', async (options, message) => {
    await expect(mineAll({ database: 'skills.db', ...options } as never)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringMatching(message) as string,
    });
  });
});

describe('requests that people wrote', () => {
  const rows = [skillRow('pears', 'prune my pear tree'), skillRow('plums', 'prune my plum tree')];

  test('become pairs with their language and their English', async () => {
    const requests = linesFile([
      {
        id: 1,
        skill: 'pears',
        request: 'Wann schneide ich die Birne?',
        language: 'DE',
        english: 'When do I cut the pear?',
      },
      { skill: 'plums', request: 'plum tree is ill', language: 'en', style: 'terse' },
    ]);
    const { pairs } = await mineAll({ database: await catalogueOf(rows), requests, kinds: ['request'] });
    expect(pairs).toMatchObject([
      { text: 'Wann schneide ich die Birne?', skill: 'pears', language: 'de', english: 'When do I cut the pear?' },
      { text: 'plum tree is ill', skill: 'plums', kind: 'request', language: 'en' },
    ]);
    expect(pairs[0]!.document).toContain('"prune my pear tree"');
    expect(pairs[1]).not.toHaveProperty('english');
  });

  test('of unknown or held-out skills, and repeated ones, are left out and counted', async () => {
    const requests = linesFile(
      ['pears', 'apples', 'plums', 'plums'].map((skill) => ({ skill, request: 'cut my tree', language: 'en' })),
    );
    const options = {
      database: await catalogueOf(rows),
      requests,
      kinds: ['request'],
      without: linesFile(['pears']),
    } as const;
    const { pairs, report } = await mineAll(options);
    expect(pairs.map(({ skill }) => skill)).toEqual(['plums']);
    expect(report.leftOut.requests).toEqual({ unknown: 1, heldOut: 1, repeated: 1 });
  });

  test('are read without the other skills, and tell how far they are', async () => {
    const requests = linesFile(
      Array.from({ length: 40 }, (_, n) => ({
        skill: 'pears',
        request: `cut my pear tree number ${n}`,
        language: 'en',
      })),
    );
    const seen: string[] = [];
    const { pairs } = await mineAll({
      database: await catalogueOf(rows, false),
      requests,
      kinds: ['request'],
      onProgress: ({ phase, done, total }) => seen.push(`${phase} ${done}/${total}`),
    });
    expect(pairs).toHaveLength(40);
    expect(seen).toEqual(['requests 32/40', 'requests 40/40']);
  });

  test('stop when aborted', async () => {
    const lines = Array.from({ length: 40 }, (_, n) => ({ skill: 'pears', request: `cut tree ${n}`, language: 'en' }));
    const stop = new AbortController();
    const mine = minePairs({
      database: await catalogueOf(rows, false),
      requests: linesFile(lines),
      kinds: ['request'],
      signal: stop.signal,
    });
    await mine.next();
    stop.abort(new Error('enough'));
    let more = 0;
    const rest = async (): Promise<void> => {
      for await (const pair of mine) more += pair.skill === 'pears' ? 1 : 0;
    };
    await expect(rest()).rejects.toThrow('enough');
    expect(more).toBeLessThan(32);
  });

  test.each([
    ['{"skill": "pears"}', /:1: expected a request: an object with the texts `skill`, `request` and `language`$/],
    ['{"skill": "pears", "request": " ", "language": "en"}', /:1: expected a request/],
    ['{"skill": "pears", "request": "cut", "language": "English!"}', /:1: expected a language as in ISO 639-1/],
    ['{"skill": "pears", "request": "cut", "language": "de", "english": 5}', /:1: expected `english` to be a text$/],
    ['\n[1]', /:2: expected a JSON object, got another value$/],
    ['{"skill"', /:1: expected a JSON object/],
  ])('in the line %s are refused with file and line', async (line, message) => {
    const mining = mineAll({ database: await catalogueOf(rows), requests: linesFile([line]) });
    await expect(mining).rejects.toMatchObject({
      code: 'INVALID_SOURCE',
      message: expect.stringMatching(message) as string,
    });
  });
});
