import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type BuildOptions,
  buildCatalogue,
  type OpenOptions,
  openSkillSearch,
  type SkillSearch,
} from '../../src/index.js';
import { RANKING_FEATURES } from '../../src/result.js';
import { catalogueOf, opened } from '../catalogues.js';
import { codeOf } from '../error-code.js';
import { type Row, row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';

describe('semantic search', () => {
  const SKILLS: readonly Row[] = [
    row('notes', { name: 'release-notes', description: 'Writes release notes from the git log.', stars: 5 }),
    row('forms', { name: 'pdf-forms', description: 'Fills in PDF forms.', stars: 9, categories: ['documents'] }),
    row('review', { name: 'sql-review', description: 'Reviews SQL queries.', categories: ['databases', 'documents'] }),
    row('birds', { name: 'bird-names', description: 'Tells birds by their song.', occupations: ['biologists-191020'] }),
  ];

  describe('a semantic search', () => {
    test('answers with skills, the best first, each with file, score and what matched', async () => {
      const search = await searchOver(SKILLS);
      const result = await search.semantic({ q: 'notes for a release' });
      expect(result).toMatchObject({ ranking: 'hybrid', model: 'stand-in' });
      const [first] = result.hits;
      expect(first).toMatchObject({
        fileId: 'notes/SKILL.md',
        filename: 'SKILL.md',
        skill: { id: 'notes', name: 'release-notes', stars: 5 },
        matches: { name: ['release', 'notes'], description: ['release', 'notes'] },
        snippet: { field: 'description' },
        copies: 1,
      });
      expect(first).not.toHaveProperty('explain');
      const scores = result.hits.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      for (const score of scores) expect(score >= 0 && score <= 1).toBe(true);
    });

    test('puts a skill of exactly this name first, whatever else is near', async () => {
      const search = await searchOver([
        ...Array.from({ length: 30 }, (_, i) =>
          row(`near${i}`, { name: `git log helper ${i}`, description: 'git log git log git log' }),
        ),
        row('named', { name: 'Git-Log', description: 'Something about birds.' }),
      ]);
      const { hits } = await search.semantic({ q: 'git log', explain: true });
      expect(hits[0]).toMatchObject({ skill: { id: 'named' }, explain: { name: 'exact' } });
      expect(hits[0]?.score).toBeGreaterThan(0.99);
      expect(hits[1]?.score).toBeLessThan(0.99);
      expect(hits[1]?.explain?.name).toBe('beginning');
    });

    describe('of skills that answer alike', () => {
      const idsOf = async (rows: readonly Row[], q: string, more: object = {}): Promise<readonly string[]> => {
        const { hits } = await (await searchOver(rows)).semantic({ q, ...more });
        return hits.map(({ skill }) => skill.id);
      };
      const at = (id: string, repository: string, more: Row = {}): Row => {
        const [author = ''] = repository.split('/');
        return row(id, { author, codehostUrl: `https://github.com/${repository}/tree/HEAD/${id}`, ...more });
      };
      const ENGLISH = 'Sets up containers for an application and says what each of them is for.';
      const GERMAN = 'Richtet die Container für eine Anwendung ein und sagt, wofür jeder von ihnen ist: containers.';

      test('has more for what is in the language of the question, then for what has more stars', async () => {
        const search = await searchOver([
          at('none', 'a/one', { name: 'containers', description: ENGLISH }),
          at('many', 'b/two', { name: 'containers', description: ENGLISH, stars: 90_000 }),
          at('german', 'c/three', { name: 'containers', description: GERMAN, stars: 90_000 }),
          row('own', {
            ...{ name: 'containers', author: 'd', description: ENGLISH.slice(0, -9), stars: 90_000 },
            codehostUrl: 'https://github.com/d/app/tree/HEAD/.claude/skills/containers',
          }),
        ]);
        const byEvidence = async (q: string): Promise<readonly string[]> => {
          const { hits } = await search.semantic({ q, copies: 'keep', explain: true });
          const sorted = hits.toSorted((one, other) => other.explain!.evidence! - one.explain!.evidence!);
          return sorted.map(({ skill }) => skill.id);
        };
        expect(await byEvidence('containers')).toEqual(['many', 'none', 'own', 'german']);
        expect(await byEvidence('wie richte ich die containers ein')).toEqual(['german', 'many', 'none', 'own']);
        expect(
          await idsOf(
            [row('a', { name: 'x', description: ENGLISH }), row('b', { name: 'x', description: ENGLISH, stars: 9 })],
            'x',
            { copies: 'keep' },
          ),
        ).toEqual(['b', 'a']);
      });

      test('shows translations and versions by one author as one, in the language of the question', async () => {
        const rows = [
          at('english', 'ada/kit', { name: 'container-setup', description: ENGLISH }),
          at('german', 'ada/kit', { name: 'container-setup', description: `${ENGLISH} ${GERMAN}`, files: [] }),
          at('other', 'bo/kit', { name: 'container-setup', description: 'Starts and stops containers.' }),
          at('later', 'ada/more', { name: 'container-setup-2-0', description: `${ENGLISH} Later.` }),
        ];
        const search = await searchOver(rows);
        const { hits } = await search.semantic({ q: 'set up containers', explain: true });
        expect(hits.map(({ skill }) => skill.author).toSorted()).toEqual(['ada', 'bo']);
        const shown = hits.find(({ skill }) => skill.author === 'ada');
        expect(shown?.copies).toBe(3);
        expect(shown?.explain?.copies.toSorted()).toEqual(['english', 'german', 'later']);
        expect(await idsOf(rows, 'set up containers', { copies: 'keep' })).toHaveLength(4);
        const standards = ['iso-27001', 'iso-9001'].map((name) => at(name, 'ada/kit', { name, description: ENGLISH }));
        expect(await idsOf(standards, 'iso')).toHaveLength(2);
      });

      test('counts what is shown as one once among the hits that are worth showing', async () => {
        const descriptions = [ENGLISH, `${ENGLISH} ${GERMAN}`, `${ENGLISH} Later.`];
        const search = await searchOver([
          ...descriptions.map((description, i) => at(`${i}`, 'ada/kit', { name: 'containers', description })),
          ...SKILLS,
        ]);
        expect((await search.semantic({ q: 'containers', copies: 'keep' })).worth).toBe(3);
        const { hits, worth } = await search.semantic({ q: 'containers' });
        expect([hits[0]?.copies, worth]).toEqual([3, 1]);
      });

      test('shows what others changed a little as one, and takes no skills of unknown authors for one', async () => {
        const changed = [
          at('a', 'a/kit', { name: 'x', description: ENGLISH }),
          at('b', 'b/kit', { name: 'x', description: `${ENGLISH} So.` }),
        ];
        expect(await idsOf(changed, 'containers')).toHaveLength(1);
        const unknown = [ENGLISH, 'Starts and stops containers.'].map((description, i) =>
          row(`${i}`, { name: 'x', description }),
        );
        expect(await idsOf(unknown, 'containers')).toHaveLength(2);
      });

      test('shows two of a repository among the first five', async () => {
        const rows = Array.from({ length: 12 }, (_, i) =>
          at(`s${i}`, i < 6 ? 'ada/kit' : `by${i}/kit`, {
            name: `tool ${'abcdefghijkl'[i]}`,
            description: `${ENGLISH} ${'abcdefghijkl'[i]}`,
          }),
        );
        const first = (await idsOf(rows, 'containers for an application')).slice(0, 5);
        expect(first.filter((id) => Number(id.slice(1)) < 6).length).toBeLessThanOrEqual(2);
      });

      test('hears the name of an author only where the question means the author', async () => {
        const rows = [
          at('part', 'code-bot/kit', { name: 'reviews', description: 'Reviews what others wrote.' }),
          at('whole', 'steipete/kit', { name: 'reviews', description: 'Reviews what others write.' }),
          at('own', 'stripe/kit', { name: 'stripe-refunds', description: 'Pays money back.' }),
          row('nobody', { name: 'reviews', description: 'Reviews what nobody wrote.' }),
        ];
        const search = await searchOver(rows);
        const authorOf = async (q: string, id: string): Promise<number | undefined> => {
          const { hits } = await search.semantic({ q, explain: true });
          return hits.find(({ skill }) => skill.id === id)?.explain?.bm25?.author;
        };
        expect(await authorOf('reviews by steipete', 'whole')).toBeGreaterThan(0);
        expect(await authorOf('reviews of code', 'part')).toBe(0);
        expect(await authorOf('stripe refunds', 'own')).toBe(0);
        expect(await authorOf('reviews by unknown', 'nobody')).toBe(0);
      });
    });

    test('finds the skill of one sentence where a question asks for several things', async () => {
      const search = await searchOver(SKILLS);
      const q = 'Please tell birds by their song. Then write the notes of the next release for me.';
      const { hits } = await search.semantic({ q, explain: true });
      const birds = hits.find(({ skill }) => skill.id === 'birds')?.explain;
      expect(birds?.sentence).toBeGreaterThan(birds?.cosine as number);
      const single = await search.semantic({ q: 'Tell birds by their song.', explain: true });
      expect(single.hits[0]?.explain).not.toHaveProperty('sentence');
    });

    test('is confident of a skill that is asked for by name, and of nothing where there is none', async () => {
      const search = await searchOver(SKILLS);
      expect((await search.semantic({ q: 'sql review' })).confident).toBe(true);
      const empty = await searchOver([]);
      expect(await empty.semantic({ q: 'sql review', ranking: 'words' })).toMatchObject({ confident: false, hits: [] });
    });

    test('finds by words what has no vector, and by meaning what has no word', async () => {
      const embedder = new StandInEmbedder();
      const database = await catalogueOf(SKILLS, embedder);
      const late = row('late', { name: 'changelog', description: 'Announces a new version.' });
      await buildCatalogue({ database, sources: [[late]], semantic: false });
      const search = await opened({ database, embedder });
      const byWords = (await search.semantic({ q: 'announces', explain: true })).hits;
      expect(byWords[0]).toMatchObject({ skill: { id: 'late' } });
      expect(byWords[0]?.explain).not.toHaveProperty('cosine');
      expect(byWords.map(({ skill }) => skill.id)).toContain('notes');
    });

    test('finds in the text of files by words', async () => {
      const files = [
        { filename: 'SKILL.md', text: 'An overview.' },
        { filename: 'references/ornithology.md', text: 'Everything about the ornithology of northern islands.' },
        { filename: 'references/other.md', text: 'The islands.' },
      ];
      const search = await searchOver([...SKILLS, row('guide', { files })]);
      const hit = (await search.semantic({ q: 'ornithology islands' })).hits.find(({ skill }) => skill.id === 'guide');
      expect(hit).toMatchObject({
        fileId: 'guide/references/ornithology.md',
        filename: 'references/ornithology.md',
        matches: { files: ['ornithology', 'islands'] },
        snippet: { field: 'files', filename: 'references/ornithology.md' },
      });
    });

    test('by words alone has any of the words, needs neither vectors nor a model, and sees nothing in an exact name', async () => {
      const never = { model: 'never', embed: () => Promise.reject(new Error('was asked')) };
      const database = await catalogueOf(SKILLS);
      const search = await opened({ database, embedder: never });
      const result = await search.semantic({ q: 'sql-review forms', ranking: 'words', explain: true });
      expect(result).not.toHaveProperty('model');
      expect(result.hits.map(({ skill }) => skill.id)).toEqual(['review', 'forms']);
      for (const { score, explain } of result.hits) {
        expect(explain).toMatchObject({ words: score, sum: score, name: 'other' });
        expect(explain).not.toHaveProperty('cosine');
        expect(explain).not.toHaveProperty('features');
        expect(score > 0 && score < 1).toBe(true);
      }
      const named = await search.semantic({ q: 'bird-names', ranking: 'words', explain: true });
      expect(named.hits[0]).toMatchObject({ skill: { id: 'birds' }, explain: { name: 'other' } });
      expect(named.hits[0]?.score).toBeLessThan(0.9);
      expect((await search.semantic({ q: 'nothing has these', ranking: 'words' })).hits).toEqual([]);
      const filtered = await search.semantic({ q: 'sql-review forms', ranking: 'words', category: 'databases' });
      expect(filtered.hits.map(({ skill }) => skill.id)).toEqual(['review']);
    });

    test('shows one of a group of copies and tells how many there are, or all', async () => {
      const twin = { name: 'twin', description: 'Counts birds.' };
      const search = await searchOver([
        ...SKILLS,
        row('t1', { ...twin, stars: 1 }),
        row('t2', { ...twin, stars: 7, categories: ['documents'] }),
        row('t3', twin),
      ]);
      const collapsed = (await search.semantic({ q: 'counts birds' })).hits;
      expect(collapsed[0]).toMatchObject({ skill: { id: 't2' }, copies: 3 });
      expect(collapsed).toHaveLength(SKILLS.length + 1);
      const kept = (await search.semantic({ q: 'counts birds', copies: 'keep' })).hits;
      expect(kept.slice(0, 3).map(({ skill, copies }) => [skill.id, copies])).toEqual([
        ['t2', 1],
        ['t1', 1],
        ['t3', 1],
      ]);
      const filtered = (await search.semantic({ q: 'counts birds', category: 'documents' })).hits;
      expect(filtered[0]).toMatchObject({ skill: { id: 't2' }, copies: 1 });
    });

    test('lets the best of several copies stand for all, and of equal ones that with the most stars', async () => {
      const embedder = new StandInEmbedder();
      const meant = row('meant', { name: 'Copy', description: 'Does a thing' });
      const database = await catalogueOf([...SKILLS, meant], embedder);
      const starred = row('starred', { name: 'copy', description: 'does  a thing', stars: 100 });
      await buildCatalogue({ database, sources: [[starred]], semantic: false });
      const search = await opened({ database, embedder });
      for (const ranking of ['vector', 'hybrid'] as const) {
        const { hits } = await search.semantic({ q: 'who does a thing', ranking });
        const ids = hits.map(({ skill }) => skill.id);
        expect(ids[0]).toBe('meant');
        expect(ids).not.toContain('starred');
      }
    });

    test('is not crowded out by many copies of one skill', async () => {
      const copies = Array.from({ length: 500 }, (_, i) =>
        row(`copy${i}`, {
          name: 'bird counter',
          description: 'Counts birds.',
          stars: i === 321 ? 9 : 0,
          author: `a${i % 4}`,
        }),
      );
      const others = Array.from({ length: 20 }, (_, i) => row(`other${i}`, { description: `One of the birds, ${i}` }));
      const search = await searchOver([...copies, ...others]);
      const { hits } = await search.semantic({ q: 'counts birds', limit: 21 });
      // The one with the most stars is not among those that are found first.
      expect(hits[0]).toMatchObject({ skill: { id: 'copy321' }, copies: 500 });
      expect(new Set(hits.map(({ skill }) => skill.name)).size).toBe(21);
      const [filtered] = (await search.semantic({ q: 'counts birds', author: 'a2' })).hits;
      expect(filtered).toMatchObject({ skill: { author: 'a2' }, copies: 125 });
    });

    test('by vector alone is the cosine, whatever the words', async () => {
      const embedder = new StandInEmbedder();
      const search = await searchOver(SKILLS, { embedder });
      const q = 'release notes';
      const { hits, ranking } = await search.semantic({ q, ranking: 'vector', explain: true });
      expect(ranking).toBe('vector');
      const [question, ...vectors] = await embedder.embed([
        q,
        ...SKILLS.map(({ name, description }) => `${name}. ${description}`),
      ]);
      const cosines = vectors.map((vector) => vector.reduce((sum, v, i) => sum + v * (question?.[i] as number), 0));
      const expected = SKILLS.map(({ id }, i) => [id, Math.max(0, cosines[i] as number)] as const);
      expect(hits.map(({ skill }) => skill.id)).toEqual(expected.toSorted((a, b) => b[1] - a[1]).map(([id]) => id));
      for (const { skill, score, explain } of hits) {
        expect(score).toBeCloseTo(expected.find(([id]) => id === skill.id)?.[1] as number, 5);
        expect(explain).toEqual({
          cosine: expect.any(Number),
          sum: score,
          others: expect.any(Number),
          probability: expect.any(Number),
          name: 'other',
          copies: [skill.id],
        });
      }
    });

    test('explains a score by parts that come to it', async () => {
      const search = await searchOver(SKILLS);
      const { hits } = await search.semantic({ q: 'reviews of SQL queries', explain: true });
      for (const { score, explain } of hits) {
        const { features = [], evidence = 0, sum, probability, bm25 } = explain ?? expect.fail('no explanation');
        expect(features.map(({ feature }) => feature).toSorted()).toEqual([...RANKING_FEATURES].toSorted());
        const ofFeatures = features.reduce((total, { value, weight }) => total + value * weight, 0);
        expect(ofFeatures + evidence).toBeCloseTo(sum, 9);
        expect(features.reduce((total, { share }) => total + Math.abs(share), 0)).toBeCloseTo(1, 9);
        const shares = features.map(({ share }) => Math.abs(share));
        expect(shares).toEqual(shares.toSorted((x, y) => y - x));
        expect(score).toBe(probability);
        expect(Object.keys(bm25 ?? {})).toEqual(['name', 'author', 'labels', 'description', 'files']);
      }
      expect(hits[0]?.explain?.bm25?.name).toBeGreaterThan(0);
    });

    test('never lists a skill twice and never out of order, whatever the catalogue and the question', async () => {
      const word = fc.constantFrom('git', 'log', 'birds', 'forms', 'sql', 'pdf', '会议', 'the');
      const text = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(' '));
      const skills = fc.array(fc.record({ name: text, description: text, stars: fc.nat(3) }), { maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(skills, text, fc.constantFrom('keep', 'collapse'), async (rows, q, copies) => {
          const search = await openSkillSearch({
            skills: rows.map((more, i) => row(`s${i}`, more)),
            embedder: new StandInEmbedder(),
          });
          const { hits } = await search.semantic({ q, copies, limit: 100 });
          const keys = hits.map(({ skill }) => skill.id);
          expect(new Set(keys).size).toBe(keys.length);
          expect(copies === 'keep' ? hits.length : hits.reduce((sum, hit) => sum + hit.copies, 0)).toBe(rows.length);
          const order = hits.map(({ score, skill }) => [-score, -skill.stars, skill.id] as const);
          expect(order).toEqual(order.toSorted(([a, b, c], [d, e, f]) => a - d || b - e || (c < f ? -1 : 1)));
          await search.close();
        }),
        { numRuns: 30 },
      );
    });
  });

  describe('a question in plain language', () => {
    test('may be longer, and is read at both ends', async () => {
      const search = await searchOver(SKILLS);
      const log = 'something else entirely '.repeat(200_000);
      for (const q of [`release notes for the team ${log}`, `${log} release notes for the team`]) {
        expect((await search.semantic({ q, ranking: 'words' })).hits[0]?.skill.id).toBe('notes');
        expect(search.keyword({ q }).hits[0]?.skill.id).toBe('notes');
      }
    });

    test('can be called off', async () => {
      const search = await searchOver(SKILLS);
      const reason = new Error('enough');
      await expect(search.semantic({ q: 'birds' }, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      const stop = new AbortController();
      const asked = search.semantic({ q: 'birds' }, { signal: stop.signal });
      stop.abort(reason);
      await expect(asked).rejects.toBe(reason);
      expect((await search.semantic({ q: 'birds' })).hits).not.toEqual([]);
    });
  });

  describe('what a semantic search needs', () => {
    test('is not touched before the first question', async () => {
      const embedder = new StandInEmbedder();
      const search = await opened({ skills: SKILLS, embedder });
      search.keyword({ q: 'release' });
      expect(embedder.asked).toEqual([]);
      await search.warmUp();
      expect(embedder.asked).toHaveLength(SKILLS.length);
      await search.semantic({ q: 'birds' });
      expect(embedder.asked).toHaveLength(SKILLS.length + 1);
    });

    test('is missing where a catalogue has no vectors: an error that says what to do, words still work', async () => {
      const database = await catalogueOf(SKILLS);
      const search = await opened({ database, embedder: new StandInEmbedder() });
      await expect(search.semantic({ q: 'birds' })).rejects.toMatchObject({
        code: 'NO_VECTORS',
        message: expect.stringMatching(/skills\.db has no vectors, [^-]*: load its sources again with vectors/),
      });
      expect(search.keyword({ q: 'birds' }).hits).toHaveLength(1);
      expect(search.stats()).toMatchObject({ vectors: 0 });
      expect(search.stats()).not.toHaveProperty('model');
    });

    test('must be the model of the catalogue: an error that names both', async () => {
      const database = await catalogueOf(SKILLS, new StandInEmbedder('one'));
      const search = await opened({ database, embedder: new StandInEmbedder('two') });
      await expect(search.semantic({ q: 'birds' })).rejects.toMatchObject({
        code: 'MODEL_MISMATCH',
        message: expect.stringMatching(/the model one, .*read by two/),
      });
      const bundled = await opened({ database });
      await expect(bundled.semantic({ q: 'birds' })).rejects.toMatchObject({ code: 'MODEL_MISMATCH' });
      expect(bundled.keyword({ q: 'birds' }).hits).toHaveLength(1);
    });

    test.each<[string, (texts: readonly string[]) => unknown, RegExp]>([
      ['too few vectors', () => [], /a vector for each of 4 texts, got 0 vectors/],
      ['arrays of numbers', (texts) => texts.map(() => [1, 0]), /Float32Array/],
      [
        'vectors of other lengths',
        (texts) => texts.map((_, i) => new Float32Array(i + 1).fill(1, 0, 1)),
        /1 numbers for each text, got 2/,
      ],
      [
        'vectors that are not of unit length',
        (texts) => texts.map(() => Float32Array.of(3, 4)),
        /unit length, got one of length 5/,
      ],
      ['vectors that are no numbers', (texts) => texts.map(() => Float32Array.of(Number.NaN)), /unit length/],
    ])('is checked: an embedder that returns %s', async (_, embed, message) => {
      const embedder = { model: 'wrong', embed: async (texts: readonly string[]) => embed(texts) as Float32Array[] };
      const search = await opened({ skills: SKILLS, embedder });
      await expect(search.warmUp()).rejects.toMatchObject({
        code: 'EMBEDDER_FAILED',
        message: expect.stringMatching(message),
      });
    });

    test('can be made ready while the catalogue is opened, and is missed at once then', async () => {
      const embedder = new StandInEmbedder();
      const search = await opened({ skills: SKILLS, embedder, warmUp: true });
      expect(embedder.asked).toHaveLength(SKILLS.length);
      await search.semantic({ q: 'birds' });

      const database = await catalogueOf(SKILLS);
      const opening = openSkillSearch({ database, embedder, warmUp: true });
      await expect(opening).rejects.toMatchObject({ code: 'NO_VECTORS' });
      const reason = new Error('enough');
      const never = { model: 'never', embed: () => new Promise<Float32Array[]>(() => {}) };
      const stop = new AbortController();
      const waiting = openSkillSearch({ skills: SKILLS, embedder: never, warmUp: true, signal: stop.signal });
      setTimeout(() => stop.abort(reason), 50);
      await expect(waiting).rejects.toBe(reason);
    });

    test('refuses a model and an embedder at once, and what is neither', async () => {
      const wrong = [
        { embedder: new StandInEmbedder(), model: 'folder' },
        { embedder: {} },
        { embedder: { model: '', embed: () => [] } },
        { model: '' },
        { model: 5 },
        { embedder: { model: 'two\nlines', embed: () => [] } },
        { embedder: { model: 'half \ud800', embed: () => [] } },
        { signal: 1 },
      ];
      for (const options of wrong) {
        expect(await codeOf(() => openSkillSearch({ skills: SKILLS, ...(options as object) }))).toBe('INVALID_OPTION');
        const build = { database: scratchFile('skills.db'), sources: [SKILLS], ...(options as object) } as BuildOptions;
        expect(await codeOf(() => buildCatalogue(build))).toBe('INVALID_OPTION');
      }
    });
  });

  describe('a question that may not wait long', () => {
    test('is refused if it would wait longer, and told when to ask again', async () => {
      let expected = 5000;
      const embedder = Object.assign(new StandInEmbedder(), { expectedWait: () => expected });
      const search = await searchOver(SKILLS, { embedder });
      expect((await search.semantic({ q: 'birds' }, { longestWait: 5 })).hits).not.toEqual([]);
      expected = 9100;
      const asked = search.semantic({ q: 'birds' }, { longestWait: 5 });
      await expect(asked).rejects.toMatchObject({ code: 'BUSY', retryAfter: 5 });
      expect((await search.semantic({ q: 'birds' })).hits).not.toEqual([]);
      for (const longestWait of [-1, 3601, Number.NaN, '5', null] as number[]) {
        expect(await codeOf(() => search.semantic({ q: 'birds' }, { longestWait }))).toBe('INVALID_OPTION');
      }
    });

    test('is given up ten seconds after that if the model does not answer', async () => {
      const standIn = new StandInEmbedder();
      let isAsked = false;
      const never = {
        model: 'stand-in',
        embed: (texts: readonly string[]) => {
          if (texts.length > 1) return standIn.embed(texts);
          isAsked = true;
          return new Promise<never>(() => {});
        },
      };
      const search = await opened({ skills: SKILLS, embedder: never });
      await search.warmUp();
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      let code = 'none';
      const asked = codeOf(() => search.semantic({ q: 'birds' }, { longestWait: 5 })).then((told) => {
        code = told;
      });
      while (!isAsked) await new Promise(setImmediate);
      vi.advanceTimersByTime(14_999);
      await new Promise(setImmediate);
      expect(code).toBe('none');
      vi.advanceTimersByTime(1);
      await asked;
      expect([code, vi.getTimerCount()]).toEqual(['BUSY', 0]);
    });
  });

  describe('closing a search', () => {
    test('ends questions at once, also of an embedder that never answers', async () => {
      const standIn = new StandInEmbedder();
      let asked: AbortSignal | undefined;
      const never = {
        model: 'stand-in',
        embed: (texts: readonly string[], options?: { readonly signal?: AbortSignal | undefined }) => {
          if (texts.length > 1) return standIn.embed(texts);
          asked = options?.signal;
          return new Promise<Float32Array[]>(() => {});
        },
      };
      const search = await opened({ skills: SKILLS, embedder: never });
      const pending = search.semantic({ q: 'birds' });
      pending.catch(() => {});
      while (asked === undefined) await new Promise(setImmediate);
      await search.close();
      await expect(pending).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      expect(asked.aborted).toBe(true);
    });

    test('is no signal that the searches before it have left anything at', async () => {
      const joined = vi.spyOn(AbortSignal, 'any');
      onTestFinished(() => joined.mockRestore());
      const search = await searchOver(SKILLS);
      await search.semantic({ q: 'birds' });
      joined.mockClear();
      const { signal } = new AbortController();
      await search.semantic({ q: 'birds' }, { signal, longestWait: 10 });
      await expect(search.semantic({ q: '' }, { signal })).rejects.toThrow();
      // What it makes is never quite forgotten by a signal that lives longer, in Node 22.
      expect(joined).not.toHaveBeenCalled();
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    });

    test('stops the embedding of skills in memory', async () => {
      const rows = Array.from({ length: 3000 }, (_, i) => row(`s${i}`));
      let calls = 0;
      const standIn = new StandInEmbedder();
      const slow = {
        model: 'slow',
        embed: async (texts: readonly string[], options = {}) => {
          calls += 1;
          await new Promise((done) => setTimeout(done, 50));
          return standIn.embed(texts, options);
        },
      };
      const search = await opened({ skills: rows, embedder: slow });
      const warming = search.warmUp();
      warming.catch(() => {});
      while (calls === 0) await new Promise(setImmediate);
      await search.close();
      await expect(warming).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      expect(calls).toBeLessThan(4);
    });
  });

  /** A search over rows loaded into a file, closed when the test ends. */
  async function searchOver(
    rows: readonly Row[],
    {
      embedder = new StandInEmbedder(),
      ...options
    }: Omit<Parameters<typeof openSkillSearch>[0], 'database' | 'skills'> = {},
  ): Promise<SkillSearch> {
    return opened({ database: await catalogueOf(rows, embedder), embedder, ...options });
  }
});

describe('question language', () => {
  async function open({ place, ...options }: OpenOptions & { place?: 'file' | 'memory' }): Promise<SkillSearch> {
    const file = place === 'file' && { skills: undefined, database: await catalogueOf(SKILLS) };
    return opened({ ...options, ...file });
  }

  const SKILLS = [
    row('invoices', { name: 'rechnungen', description: 'rechnungen schreiben, extract' }),
    row('small-words', { name: 'other', description: 'wie kann ich bitte die als das und der' }),
    row('english', { name: 'how', description: 'how can I please write the invoices' }),
  ];

  describe.each(['file', 'memory'] as const)('the small words of a question in its language (in a %s)', (place) => {
    test('find nothing by themselves, in both searches', async () => {
      const search = await open({ skills: SKILLS, place, gloss: false });
      const q = 'wie kann ich bitte rechnungen schreiben';
      const found = search.keyword({ q });
      expect(found.step).toBe('all-words');
      expect(found.hits.map(({ skill }) => skill.id)).toEqual(['invoices']);
      const { hits } = await search.semantic({ q, ranking: 'words' });
      expect(hits.map(({ skill }) => skill.id)).toEqual(['invoices']);
    });

    test('count in a question of another language', async () => {
      const search = await open({ skills: SKILLS, place });
      const { hits } = await search.semantic({ q: 'how should I write als into the extract', ranking: 'words' });
      expect(hits.map(({ skill }) => skill.id).sort()).toEqual(['english', 'invoices', 'small-words']);
    });
  });

  test('An embedder is asked whether it reads the language of a question', async () => {
    const asked: string[] = [];
    const embedder = Object.assign(new StandInEmbedder(), {
      readsLanguage: (language: string): boolean => {
        asked.push(language);
        return language === 'en';
      },
    });
    const search = await open({ skills: SKILLS, embedder });
    await search.semantic({ q: 'wie kann ich bitte rechnungen schreiben' });
    await search.semantic({ q: 'kubernetes' });
    await search.semantic({ q: 'отчёт', ranking: 'vector' });
    await search.semantic({ q: 'how to write', ranking: 'words' });
    expect(asked).toEqual(['de', 'en', 'ru']);
  });

  test('An embedder is told which texts are documents and which are questions, the sentences of a question too', async () => {
    const embedder = new StandInEmbedder();
    const search = await open({ skills: SKILLS, embedder });
    await search.warmUp();
    expect(new Set(embedder.purposes)).toEqual(new Set(['document']));
    const documents = embedder.asked.length;
    await search.semantic({ q: 'How can I write the invoices? Then please extract what they say.' });
    expect(embedder.asked.length).toBe(documents + 3);
    expect(embedder.purposes.slice(documents)).toEqual(['question', 'question', 'question']);
  });
});
