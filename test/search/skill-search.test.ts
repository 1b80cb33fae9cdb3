import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { MAX_LIMIT } from '../../src/core/index.js';
import {
  buildCatalogue,
  followCatalogue,
  type KeywordHit,
  type KeywordQuery,
  type OpenOptions,
  openSkillSearch,
  type Skill,
  type SkillSearch,
  type SortOrder,
  STOP_WORDS,
} from '../../src/index.js';
import { EXPLAINED_TEXT } from '../../src/search/keyword-search.js';
import { Database } from '../../src/store/index.js';
import { storedRecords } from '../catalogue-file.js';
import { catalogueOf, opened } from '../catalogues.js';
import { codeOf } from '../error-code.js';
import { KEYWORD, keyword, serve } from '../http/ask.js';
import { type Row, row } from '../rows.js';
import { scratchFolder } from '../scratch-folder.js';

describe('skill search', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;

  /** Memory of arrays that somebody still has. */
  function bytesHeld(): number {
    collectGarbage();
    return process.memoryUsage().arrayBuffers;
  }

  describe('a file and an array of skills', () => {
    test('give the same answers', async () => {
      const rows = Array.from({ length: 40 }, (_, i) =>
        row(`skill-${i}`, {
          description: `alpha ${i % 3 === 0 ? 'beta' : 'gamma'}`,
          stars: i % 5,
          updatedAt: i % 7,
          categories: [`c-${i % 4}`],
          files: [{ filename: 'SKILL.md', text: `delta ${i}` }],
        }),
      );
      const database = await catalogueOf(rows);
      const [file, memory] = [await opened({ database }), await opened({ skills: rows })];

      for (const q of ['alpha', 'beta', 'delta 7', 'gam', 'gammma', 'nothing']) {
        for (const sortBy of ['relevance', 'recent', 'stars'] as const) {
          expect(file.keyword({ q, sortBy, category: 'c-1' })).toEqual(memory.keyword({ q, sortBy, category: 'c-1' }));
        }
      }
      expect(file.ids()).toEqual(memory.ids());
      expect(file.categories()).toEqual(memory.categories());
      expect(file.get('skill-3')).toEqual(memory.get('skill-3'));
      expect(file.files('skill-3')).toEqual(memory.files('skill-3'));
      // Only a file was written at some time.
      const { writtenAt, ...stats } = file.stats();
      expect(writtenAt).toBeCloseTo(Date.now() / 1000, -2);
      expect({ ...stats, stamp: '' }).toEqual({ ...memory.stats(), stamp: '' });
    });

    test('in memory tell which rows could not become a skill, and what was mended', async () => {
      const search = await opened({ skills: [row('a'), { id: 'b', name: 'b' }, 42, row('a', { name: 'later' })] });

      expect(search.stats().skills).toBe(1);
      expect(search.get('a')?.name).toBe('later');
      expect(search.problems.rejected).toMatchObject([{ line: 2 }, { line: 3 }]);
      expect(search.problems.warnings).toMatchObject([{ line: 4, message: expect.stringContaining('a') }]);
    });
  });

  describe('copies', () => {
    const copy = { name: 'Alpha', description: 'the one and only' };
    const SKILLS: Row[] = [
      { id: 'young', ...copy, stars: 5, updatedAt: 300, categories: ['x'] },
      { id: 'old', ...copy, stars: 5, updatedAt: 100 },
      { id: 'poor', ...copy, stars: 1, updatedAt: 50, categories: ['x'] },
      { id: 'other', name: 'Alpha', description: 'another one', stars: 0, updatedAt: 10 },
    ];
    test('count only where they match and pass the filters', async () => {
      const search = await opened({ skills: SKILLS });
      const { hits, pagination } = search.keyword({ q: 'alpha', category: 'x' });
      expect(hits.map(({ skill, copies }) => [skill.id, copies])).toEqual([['young', 2]]);
      expect(pagination.total).toBe(1);
    });
  });

  describe('snippets', () => {
    test('mark nothing but matched words, and each of them', async () => {
      const word = fc.constantFrom(
        'alpha',
        'Alpha',
        'beta',
        'gamma',
        'alphabet',
        'be',
        'x'.repeat(70),
        'é',
        '漢字',
        '😀',
      );
      const gap = fc.constantFrom(' ', '  ', '\n', ', ', ' - ', '\u0007', '\u001b[', '\u009b', '…', '\u00a0');
      const text = fc
        .array(fc.tuple(word, gap), { minLength: 1, maxLength: 90 })
        .map((parts) => parts.map(([w, g]) => w + g).join(''));
      const asked = ['alpha', 'beta'];

      await fc.assert(
        fc.asyncProperty(text, text, async (description, file) => {
          const skills = [row('a', { description, files: [{ filename: 'SKILL.md', text: file }] })];
          const search = await openSkillSearch({ skills });
          for (const hit of search.keyword({ q: asked.join(' ') }).hits) {
            const { text: shown, highlights } = hit.snippet;
            expect(shown).not.toMatch(/\p{Cc}/u);
            let end = 0;
            for (const [from, to] of highlights) {
              expect(from).toBeGreaterThanOrEqual(end);
              expect(to).toBeGreaterThan(from);
              end = to;
            }
            expect(end).toBeLessThanOrEqual(shown.length);
            const words = [...shown.matchAll(/[\p{L}\p{N}]+/gu)].map(([found]) => found);
            expect(marked(hit)).toEqual(words.filter((one) => asked.includes(one.toLowerCase())));
          }
          await search.close();
        }),
        { numRuns: 60 },
      );
    });
  });

  describe('what a catalogue holds', () => {
    const SKILLS = [
      row('a', {
        updatedAt: 100,
        categories: ['testing', 'frontend'],
        occupations: ['historians'],
        files: [
          { filename: 'SKILL.md', text: 'one' },
          { filename: 'references/forms.md', text: 'two' },
        ],
      }),
      row('b', { updatedAt: 300, categories: ['testing'], description: 'no files of its own' }),
      row('c', { updatedAt: 200, categories: ['debugging'] }),
    ];

    test('is given out by id', async () => {
      const search = await opened({ skills: SKILLS });

      expect(search.get('b')).toEqual({
        id: 'b',
        name: 'name of b',
        author: 'unknown',
        description: 'no files of its own',
        codehostUrl: 'unknown',
        skillUrl: 'unknown',
        stars: 0,
        updatedAt: 300,
        categories: ['testing'],
        occupations: [],
        tags: [],
      });
      expect(search.files('a')).toEqual([
        { fileId: 'a/SKILL.md', filename: 'SKILL.md', text: 'one' },
        { fileId: 'a/references/forms.md', filename: 'references/forms.md', text: 'two' },
      ]);
      expect(search.files('b')).toEqual([{ fileId: 'b/SKILL.md', filename: 'SKILL.md', text: 'no files of its own' }]);
    });

    test('is not what an unknown id names', async () => {
      const search = await opened({ skills: SKILLS });
      for (const id of ['', 'A', 'a ', 'nobody', "a' OR '1'='1", '__proto__']) {
        expect(search.get(id)).toBeUndefined();
        expect(search.files(id)).toEqual([]);
      }
    });

    test('stays as it was opened until it is opened again', async () => {
      const database = await catalogueOf([row('a', { description: 'alpha' })]);
      const search = await opened({ database });
      await buildCatalogue({ semantic: false, database, sources: [[row('b', { description: 'alpha' })]] });

      expect(idsOf(search, { q: 'alpha' })).toEqual(['a']);
      const again = await opened({ database });
      expect(idsOf(again, { q: 'alpha' })).toEqual(['a', 'b']);
      expect(again.stats().stamp).not.toBe(search.stats().stamp);
    });
  });

  describe('closing', () => {
    // Words enough for the index to be read in several pieces, of which a question needs few.
    const wordsOf = (i: number): string => Array.from({ length: 30 }, (_, j) => `word${(i * 30 + j) * 7919}`).join(' ');
    const manyWords = Array.from({ length: 1000 }, (_, i) => row(`s-${i}`, { description: wordsOf(i) }));

    test('leaves hits as they are', async () => {
      const text = 'far away: word7919';
      const database = await catalogueOf([...manyWords, row('file', { files: [{ filename: 'SKILL.md', text }] })]);
      const search = await openSkillSearch({ database });
      const inDescription = search.keyword({ q: 'word7919', sortBy: 'recent' }).hits;
      const inFiles = search.keyword({ q: 'far word7919', sortBy: 'recent' }).hits;
      await search.close();

      expect(inDescription.map((hit) => hit.matches)).toEqual([{ description: ['word7919'] }]);
      expect(inFiles.map((hit) => hit.snippet.text)).toEqual([text]);
    });

    test('lets go of the memory of the index, whatever is kept of the search', async () => {
      const database = await catalogueOf(manyWords);
      const { size } = statSync(`${database}.keyword`);
      const kept: unknown[] = [];
      const before = bytesHeld();
      for (let i = 0; i < 10; i++) {
        const search = await openSkillSearch({ database });
        kept.push(search, search.keyword({ q: 'word7919' }));
        await search.close();
      }
      // Freed beside the program.
      await expect.poll(() => bytesHeld() - before, { timeout: 10_000 }).toBeLessThan(3 * size);
      expect(kept).toHaveLength(20);
    });

    test('ends every call, may be done twice, and lets go of the file', async () => {
      const database = await catalogueOf([row('a', { description: 'alpha' })]);
      const search = await openSkillSearch({ database });
      await search.close();
      await search.close();

      const calls: ((one: SkillSearch) => unknown)[] = [
        (one) => one.keyword({ q: 'alpha' }),
        (one) => one.keyword({ q: '' }),
        (one) => one.get('a'),
        (one) => one.list(),
        (one) => one.authors(),
        (one) => one.files('a'),
        (one) => one.categories(),
        (one) => one.occupations(),
        (one) => one.stats(),
      ];
      for (const call of calls) expect(await codeOf(() => call(search))).toBe('SERVICE_UNAVAILABLE');
      rmSync(database);
    });
  });

  describe('opening', () => {
    test('with stop words of its own takes these for the usual ones, in both searches', async () => {
      const skills = [
        row('a', { name: 'x', description: 'tests for you' }),
        row('b', { name: 'y', description: 'tests' }),
      ];
      const found = async (q: string, stopWords?: Iterable<string>): Promise<string[][]> => {
        const search = await opened({ skills, stopWords });
        const { hits } = await search.semantic({ q, ranking: 'words' });
        return [search.keyword({ q }).hits, hits].map((all) => all.map(({ skill }) => skill.id).sort());
      };
      expect(STOP_WORDS).toContain('for');
      expect(await found('tests for')).toEqual([
        ['a', 'b'],
        ['a', 'b'],
      ]);
      expect(await found('tests for', [])).toEqual([['a'], ['a', 'b']]);
      expect(await found('you', new Set(['you']))).toEqual([['a'], ['a']]);
      expect(await found('you tests', [...STOP_WORDS, 'Tests'])).toEqual([['a'], ['a', 'b']]);
      expect(await found('tests you', ['tests'])).toEqual([['a'], ['a']]);
    });

    test.each([
      ['neither a file nor skills', {}],
      ['nothing at all', undefined],
      ['a database that is no path', { database: 42 }],
      ['skills that cannot be iterated', { skills: 42 }],
    ])('%s is INVALID_OPTION', async (_, options) => {
      expect(await codeOf(() => openSkillSearch(options as unknown as OpenOptions))).toBe('INVALID_OPTION');
    });

    test('that is aborted throws the reason of the signal', async () => {
      const database = await catalogueOf([row('a')]);
      const reason = new Error('no longer wanted');
      await expect(openSkillSearch({ database, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);

      const stop = new AbortController();
      const skills = (function* () {
        yield row('a');
        stop.abort(reason);
        yield row('b');
      })();
      await expect(openSkillSearch({ skills, signal: stop.signal })).rejects.toBe(reason);
    });
  });

  function idsOf(search: SkillSearch, query: KeywordQuery): string[] {
    return search.keyword(query).hits.map(({ skill }) => skill.id);
  }

  /** The highlighted parts of a snippet. */
  function marked({ snippet }: KeywordHit): string[] {
    return snippet.highlights.map(([start, end]) => snippet.text.slice(start, end));
  }
});

describe('keyword pages', () => {
  const WORDS = ['alpha', 'beta', 'gamma', 'alphas', 'álpha'];
  const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }).map((list) => list.join(' '));

  /** Few names and descriptions, so that many skills are copies of others, and score alike. */
  const rows = fc
    .array(fc.record({ name: words, description: words, stars: fc.nat(2), updatedAt: fc.nat(3) }), {
      minLength: 20,
      maxLength: 50,
    })
    .map((list): Row[] =>
      list.map((fields, i) => row(`${'ab漢\uff5e'.charAt(i % 4)}${i % 3 ? '😀' : ''}${i}`, fields)),
    );

  const ORDERS: readonly SortOrder[] = ['relevance', 'recent', 'stars'];

  /** All matching skills in an order, with one of each group of copies, made from an answer that shows all of them. */
  function sorted(all: readonly KeywordHit[], sortBy: SortOrder, collapse: boolean, search: SkillSearch): unknown[] {
    const found = new Map(all.map((hit) => [hit.skill.id, hit]));
    const kept = all.flatMap((hit) => {
      const group = collapse ? search.copiesOf(hit.skill.id).filter((id) => found.has(id)) : [hit.skill.id];
      return group[0] === hit.skill.id ? [{ ...hit, count: group.length }] : [];
    });
    const byId = (a: KeywordHit, b: KeywordHit): number =>
      Buffer.compare(Buffer.from(a.skill.id), Buffer.from(b.skill.id));
    const compare = {
      recent: (a: KeywordHit, b: KeywordHit) => b.skill.updatedAt - a.skill.updatedAt,
      stars: (a: KeywordHit, b: KeywordHit) => b.skill.stars - a.skill.stars || compare.recent(a, b),
      relevance: (a: KeywordHit, b: KeywordHit) => b.score! - a.score! || b.skill.stars - a.skill.stars,
    };
    return kept
      .sort((a, b) => compare[sortBy](a, b) || byId(a, b))
      .map(({ skill, score, count }) => [skill.id, sortBy === 'relevance' ? score : undefined, count]);
  }

  test('pages of any order, with and without copies, are the parts of one sorted list', {
    timeout: 300_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(rows, words, fc.integer({ min: 1, max: 9 }), async (list, q, limit) => {
        const search = await openSkillSearch({ skills: list });
        const all = search.keyword({ q, copies: 'keep', limit: 50 }).hits;
        for (const sortBy of ORDERS) {
          for (const copies of ['keep', 'collapse'] as const) {
            const expected = sorted(all, sortBy, copies === 'collapse', search);
            const pages: unknown[] = [];
            for (let page = 1; page <= Math.ceil(expected.length / limit) + 1; page++) {
              const { hits, pagination } = search.keyword({ q, sortBy, copies, limit, page });
              pages.push(...hits.map((hit) => [hit.skill.id, hit.score, hit.copies]));
              expect([q, page, pagination.total]).toEqual([q, page, expected.length]);
            }
            expect([q, sortBy, copies, pages]).toEqual([q, sortBy, copies, expected]);
          }
        }
        await search.close();
      }),
      { numRuns: 20 },
    );
  });
});

describe('the text that explanations of hits look at', () => {
  test('is shared by the hits of a page', async () => {
    const share = Math.floor(EXPLAINED_TEXT / MAX_LIMIT);
    // The second word ends where the share of a hit ends, or one character behind it.
    const textOf = (end: number): string => `kite ${'.'.repeat(end - 'kite bobbin'.length)}bobbin`;
    const skills = Array.from({ length: MAX_LIMIT }, (_, i) =>
      row(`s-${i}`, { files: [{ filename: 'a.md', text: textOf(share + (i % 2)) }] }),
    );
    const search = await opened({ skills });
    const matchesFor = (limit: number): (readonly string[] | undefined)[] =>
      search
        .keyword({ q: 'kite bobbin', limit, copies: 'keep' })
        .hits.toSorted((a, b) => Number(a.skill.id.slice(2)) - Number(b.skill.id.slice(2)))
        .map(({ matches }) => matches.files);
    expect(matchesFor(MAX_LIMIT).slice(0, 2)).toEqual([['kite', 'bobbin'], ['kite']]);
    expect(matchesFor(MAX_LIMIT - 1).every((files) => files?.length === 2)).toBe(true);
  });
});

describe('kept skills', () => {
  const ROWS = ['apple', 'banana', 'cherry'].map((id) =>
    row(id, { description: `about fruit and ${id}`, categories: ['fruit'], occupations: ['cook'] }),
  );

  /** Replaces a text in the rows of skills, as damage would. */
  function damage(database: string, text: string, by: string): void {
    const connection = new Database(database);
    connection.exec(`UPDATE revision SET record = replace(record, '${text}', '${by}')`);
    connection.close();
  }

  test('who changes a hit changes nothing of later answers', async () => {
    await using search = await openSkillSearch({ database: await catalogueOf(ROWS) });
    const ask = (): Skill[] => search.keyword({ q: 'fruit' }).hits.map(({ skill }) => skill);
    const before = structuredClone(ask());
    for (const skill of ask()) {
      Object.assign(skill, { name: 'changed' });
      (skill.categories as string[]).push('changed');
      (skill.occupations as string[]).length = 0;
    }
    expect(ask()).toEqual(before);
  });

  test('a hit that was read before is given as it was read, and what was not is checked', async () => {
    const database = await catalogueOf(ROWS);
    await using search = await openSkillSearch({ database });
    const before = search.keyword({ q: 'cherry' }).hits.map(({ skill }) => skill);
    damage(database, 'about fruit', 'about blood');
    expect(search.keyword({ q: 'cherry' }).hits.map(({ skill }) => skill)).toEqual(before);
    expect(await codeOf(() => search.keyword({ q: 'banana' }))).toBe('DATABASE_DAMAGED');
  });

  test('a question leaves no lock on the file, answered or not', async () => {
    const database = await catalogueOf(ROWS);
    damage(database, 'about fruit and cherry', 'about fruit and sherry');
    await using search = await openSkillSearch({ database });
    expect(search.keyword({ q: 'banana' }).pagination.total).toBe(1);
    expect(await codeOf(() => search.keyword({ q: 'cherry' }))).toBe('DATABASE_DAMAGED');
    const writer = new Database(database, { timeout: 0 });
    writer.exec('BEGIN EXCLUSIVE; COMMIT');
    writer.close();
    expect(search.keyword({ q: 'banana' }).pagination.total).toBe(1);
  });
});

describe('an answer to a question that is too costly to finish', () => {
  /** Each has 100,000 positions, which a phrase of the same word reads and compares once for each of its words. */
  const LONG: readonly Row[] = Array.from({ length: 4 }, (_, i) =>
    row(`long-${i}`, { updatedAt: 10 - i, files: [{ filename: 'SKILL.md', text: 'kite '.repeat(100_000) }] }),
  );
  const COSTLY = `"${'kite '.repeat(6)}"`;

  let search: SkillSearch;
  beforeAll(async () => {
    search = await openSkillSearch({ skills: LONG });
    return () => search.close();
  });

  test('says so, and has fewer skills than there are, the newest of them', () => {
    for (const sortBy of ['recent', 'relevance'] as const) {
      const { truncated, pagination, hits } = search.keyword({ q: COSTLY, sortBy, copies: 'keep' });
      expect([sortBy, truncated]).toEqual([sortBy, true]);
      expect(pagination.total).toBeGreaterThan(0);
      expect(pagination.total).toBeLessThan(LONG.length);
      expect(hits.map(({ skill }) => skill.id).sort()).toEqual(LONG.slice(0, pagination.total).map(({ id }) => id));
      const records = storedRecords(search, { q: COSTLY, sortBy, copies: 'keep' });
      expect([records.truncated, records.pagination]).toEqual([true, pagination]);
    }
  });

  test('has a header over HTTP, and others have none', async () => {
    const { ask } = await serve(search);
    const cut = await ask(keyword({ q: COSTLY }));
    expect([cut.status, cut.headers.get('X-Result-Truncated')]).toEqual([200, 'true']);
    expect((await ask(keyword({ q: 'kite' }))).headers.has('X-Result-Truncated')).toBe(false);
    expect((await ask(KEYWORD)).headers.has('X-Result-Truncated')).toBe(false);
  });
});

describe('unfit options', () => {
  describe('an option without effect is refused', () => {
    const [cache, passwordFile, manifest] = ['copies', 'password', 'https://example.org/manifest.json'];
    test.each([
      ['cache', 'beside a file', { database: 'x.db', cache }],
      ['passwordFile', 'beside skills', { skills: [], passwordFile }],
      ['passwordFile', 'beside the address of a snapshot', { database: manifest, passwordFile }],
    ])('%s %s', async (parameter, _, options) => {
      const error = { code: 'INVALID_OPTION', parameter, message: expect.stringContaining(`${parameter} is for`) };
      await expect(openSkillSearch(options)).rejects.toMatchObject(error);
      if (!('database' in options)) return;
      await expect(followCatalogue(options)).rejects.toMatchObject(error);
    });
  });

  describe('an address of a kind that is not known is no path of a file', () => {
    test.each(['mysql://u:zebra@h/x', 'FTP://u:zebra@h/x', 'file:///srv/manifest.json', 'postgre://u:zebra@h/x'])(
      '%s',
      async (database) => {
        const opening = openSkillSearch({ database });
        await expect(opening).rejects.toMatchObject({
          code: 'INVALID_OPTION',
          message: expect.stringMatching(
            /^database must be the path of a file, or an address .* it begins with [a-z]+:/i,
          ),
        });
        await expect(opening).rejects.not.toMatchObject({ message: expect.stringContaining('zebra') });
        await expect(buildCatalogue({ database, sources: [[row('kite')]] })).rejects.toThrow('database must be');
        await expect(followCatalogue({ database })).rejects.toThrow('database must be');
      },
    );
  });

  test('the files of a snapshot are to be served by a web server', async () => {
    const folder = join(scratchFolder(), 'published');
    mkdirSync(folder);
    const advice = { code: 'NOT_A_CATALOGUE', message: expect.stringMatching(/web server, and give the address of/) };
    await expect(openSkillSearch({ database: folder })).rejects.not.toMatchObject(advice);
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ format: 1, note: 'x'.repeat(2000) }));
    await expect(openSkillSearch({ database: folder })).rejects.toMatchObject(advice);
    await expect(openSkillSearch({ database: join(folder, 'manifest.json') })).rejects.toMatchObject(advice);
  });
});
