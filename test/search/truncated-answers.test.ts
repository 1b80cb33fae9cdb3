import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { buildCatalogue, openSkillSearch, type SkillSearch } from '../../src/index.js';
import { PackedIndex } from '../../src/keyword/index.js';
import { catalogueSearchOf } from '../../src/search/index.js';
import { runCaptured } from '../cli/run-captured.js';
import { KEYWORD, keyword, SEMANTIC, semantic, serve } from '../http/ask.js';
import { type Row, row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';

/** Each has 100,000 positions, which a phrase of the same word reads and compares once for each of its words. */
const LONG: readonly Row[] = Array.from({ length: 4 }, (_, i) =>
  row(`long-${i}`, { updatedAt: 10 - i, files: [{ filename: 'SKILL.md', text: 'kite '.repeat(100_000) }] }),
);
const COSTLY = `"${'kite '.repeat(6)}"`;

let search: SkillSearch;
beforeAll(async () => {
  search = await openSkillSearch({ skills: LONG });
});
afterAll(() => search.close());

describe('an answer to a question that is too costly to finish', () => {
  test('says so, and has fewer skills than there are, the newest of them', () => {
    for (const sortBy of ['recent', 'relevance'] as const) {
      const { truncated, pagination, hits } = search.keyword({ q: COSTLY, sortBy, copies: 'keep' });
      expect([sortBy, truncated]).toEqual([sortBy, true]);
      expect(pagination.total).toBeGreaterThan(0);
      expect(pagination.total).toBeLessThan(LONG.length);
      expect(hits.map(({ skill }) => skill.id).sort()).toEqual(LONG.slice(0, pagination.total).map(({ id }) => id));
      const records = catalogueSearchOf(search).keywordRecords({ q: COSTLY, sortBy, copies: 'keep' });
      expect([records.truncated, records.pagination]).toEqual([true, pagination]);
    }
  });

  test('says nothing of the kind where all was looked at', async () => {
    const found = search.keyword({ q: '"kite kite"', copies: 'keep' });
    expect([found.pagination.total, 'truncated' in found]).toEqual([LONG.length, false]);
    expect('truncated' in catalogueSearchOf(search).keywordRecords({ q: 'kite' })).toBe(false);
    expect('truncated' in (await search.semantic({ q: 'kite', ranking: 'words' }))).toBe(false);
  });

  test('has a header over HTTP, and others have none', async () => {
    const { ask } = await serve(search);
    const cut = await ask(keyword({ q: COSTLY }));
    expect([cut.status, cut.headers.get('X-Result-Truncated')]).toEqual([200, 'true']);
    expect((await ask(keyword({ q: 'kite' }))).headers.has('X-Result-Truncated')).toBe(false);
    expect((await ask(KEYWORD)).headers.has('X-Result-Truncated')).toBe(false);
  });

  test('is told on the command line, with what is known of the number of skills', async () => {
    const database = scratchFile('skills.db');
    await buildCatalogue({ database, sources: [LONG], semantic: false });
    const { status, out } = await runCaptured(['search', COSTLY, '--sort', 'recent', '--database', database]);
    expect(status).toBe(0);
    expect(out).toMatch(/^\(the question was too costly to finish: there may be more, and a better order\)\n/);
    expect(out).toMatch(/\nat least [123] skills?\n$/);
  });

  test('is told by a semantic search whose words took too much', async () => {
    // That of every index.
    const prototype = Object.getPrototypeOf(PackedIndex.prototype) as PackedIndex;
    const { rank } = prototype;
    const costly = vi.spyOn(prototype, 'rank').mockImplementation(function (this: PackedIndex, q, options) {
      options.work?.affords(options.work.limit - 1);
      return rank.call(this, q, options);
    });
    onTestFinished(() => costly.mockRestore());
    const few = await openSkillSearch({ skills: [row('a'), row('b')] });
    onTestFinished(() => few.close());
    expect((await few.semantic({ q: 'description', ranking: 'words' })).truncated).toBe(true);
    costly.mockRestore();
    expect('truncated' in (await few.semantic({ q: 'description', ranking: 'words' }))).toBe(false);
  });

  test('of a semantic search has the header, too', async () => {
    const cut: SkillSearch = Object.assign(Object.create(search), {
      semantic: async () => ({ ranking: 'hybrid', confident: false, truncated: true, hits: [] }),
    });
    const { ask, key } = await serve(cut);
    expect((await ask(semantic('kite'), { key })).headers.get('X-Result-Truncated')).toBe('true');
    expect((await ask(SEMANTIC, { key })).headers.has('X-Result-Truncated')).toBe(false);
  });
});
