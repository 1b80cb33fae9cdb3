import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { MAX_CHANGED_IN_PLACE } from '../../src/core/index.js';
import { openServerMetrics, startServer } from '../../src/http/index.js';
import { buildCatalogue, type FollowedSearch, followCatalogue, removeSkills, updateSkills } from '../../src/index.js';
import { until } from '../processes.js';
import { type Row, row } from '../rows.js';
import { closing, scratchFolder } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { describeWithPostgres } from '../share/postgres/describe-with-postgres.js';
import { SharedLoader } from '../share/shared-catalogue/machines.js';
import { accessOf, HEALTH, keyword, SEMANTIC } from './ask.js';

const WORDS = 'review pull request testing react deploy kubernetes pdf table convert image python lint docs api'.split(
  ' ',
);
const EMBEDDER = new StandInEmbedder();

/** Skills of a few words each, some of them the same as another's but for id and date. */
function rowsOf(from: number, to: number): Row[] {
  const rows: Row[] = [];
  for (let i = from; i < to; i++) {
    const word = (step: number): string => WORDS[(i * step + ((i / 7) | 0)) % WORDS.length]!;
    rows.push({
      ...row(`skill-${i}`, { name: `${word(1)} ${word(3)}`, description: `${word(2)} the ${word(5)} and ${word(4)}` }),
      ...{ stars: i % 11, updatedAt: 1_700_000_000 + (i % 50) * 86_400, categories: [`category-${i % 5}`] },
      files: [{ filename: 'SKILL.md', text: `# ${word(6)}\n${word(7)} ${word(8)} ${word(9)}` }],
    });
  }
  return rows;
}

/** What clients ask: by meaning, by words in all orders, with filters and pages, and the pages for people. */
const QUESTIONS: readonly string[] = [
  ...WORDS.flatMap((one, i) => {
    const two = `${one} ${WORDS[(i + 4) % WORDS.length]}`;
    return [
      keyword({ q: one, limit: 50 }),
      keyword({ q: two, limit: 20 }),
      keyword({ q: two, sortBy: 'stars', page: 2, limit: 7 }),
      keyword({ q: `"${two}"` }),
      keyword({ q: one.slice(0, 3), category: `category-${i % 5}` }),
      `${SEMANTIC}?q=${encodeURIComponent(two)}`,
      `/?q=${encodeURIComponent(two)}`,
      `/skills/skill-${i * 7}`,
    ];
  }),
  '/.well-known/agent-skills/index.json',
];

describeWithPostgres('servers of one catalogue in PostgreSQL', (server) => {
  async function following(address: string): Promise<FollowedSearch> {
    const options = { cache: scratchFolder(), interval: 20, snapshotInterval: 100, embedder: EMBEDDER };
    return closing(await followCatalogue({ database: address, ...options }));
  }

  async function serving(search: FollowedSearch): Promise<(path: string) => Promise<unknown>> {
    const access = accessOf({ anonymous: { daily: 0, perMinute: 0 } });
    const limits = { pagesPerMinute: 0, pageSearchesPerMinute: 0, publishedPerMinute: 0 };
    const running = await startServer(search, { port: 0, access, ...limits, publish: ['all'] });
    onTestFinished(() => running.close(0));
    return async (path) => {
      const answer = await fetch(`${running.url}${path}`);
      const headers = Object.fromEntries(answer.headers);
      for (const own of ['date', 'x-request-id']) delete headers[own];
      // An answer says where its server is, what the request is called, and how long it took.
      const body = (await answer.text())
        .replaceAll(running.url, 'http://server')
        .replace(/"requestId":"[^"]*","responseTimeMs":\d+/, '');
      return { status: answer.status, headers: { ...headers, 'content-length': body.length }, body };
    };
  }

  test('give the same answers byte for byte, whichever way each came to its copy', async () => {
    const loader = await SharedLoader.open(await server.database());
    const { database } = loader;
    const change = { database, embedder: EMBEDDER };
    await buildCatalogue({ ...change, sources: [{ name: 'rows', rows: rowsOf(0, 250) }] });
    await loader.publish();
    const followed = await following(loader.address);
    // Too many to be changed in place.
    const many = rowsOf(240, 260 + MAX_CHANGED_IN_PLACE);
    await buildCatalogue({ ...change, sources: [{ name: 'more', rows: many }] });
    await removeSkills({ database, ids: ['skill-7', 'skill-77'] });
    await loader.publish();
    await loader.snapshot();
    await updateSkills({ ...change, rows: rowsOf(800, 820) });
    await removeSkills({ database, ids: ['skill-9', 'skill-801'] });
    await loader.publish();
    await until(() => followed.stats().copy?.version === 3);
    const fetched = await following(loader.address);
    await loader.snapshot();
    const present = await following(loader.address);
    await server.execute(loader.address, 'TRUNCATE skill_discovery.snapshot, skill_discovery.chunk');
    const whole = await following(loader.address);
    const [first, ...others] = await Promise.all([followed, fetched, present, whole].map(serving));
    for (const question of QUESTIONS) {
      const expected = await first!(question);
      for (const other of others) expect(await other(question), question).toEqual(expected);
    }
    expect(await first!(QUESTIONS.at(-1)!)).toMatchObject({ status: 200, headers: { etag: expect.any(String) } });
  });

  test('stay healthy while PostgreSQL is away, and tell how old their copies are', async () => {
    const loader = await SharedLoader.open(await server.database());
    await buildCatalogue({
      database: loader.database,
      semantic: false,
      sources: [{ name: 'rows', rows: rowsOf(0, 5) }],
    });
    const { publishedAt } = await loader.publish();
    // Made later than its version was published.
    await wait(2100);
    const search = await following(loader.address);
    const ask = await serving(search);
    const metrics = await openServerMetrics({ search: () => search });
    const gauge = async (name: string): Promise<number> => {
      const line = (await metrics.text()).split('\n').find((one) => one.startsWith(`skill_discovery_${name} `));
      return Number(line?.split(' ')[1]);
    };
    expect(await gauge('catalogue_version')).toBe(1);
    expect(await gauge('catalogue_copy_age_seconds')).toBeLessThan(60);
    const now = Date.now();
    const age = await gauge('catalogue_age_seconds');
    expect(now - age * 1000).toBeLessThan(publishedAt! + 1000);
    await server.stop();
    onTestFinished(() => server.start());
    const since = await gauge('catalogue_copy_age_seconds');
    await until(() => Date.now() / 1000 - search.stats().copy!.confirmedAt! > since + 2);
    expect(await gauge('catalogue_copy_age_seconds')).toBeGreaterThan(since + 1);
    expect(await ask(HEALTH)).toMatchObject({ status: 200, body: JSON.stringify({ status: 'ok' }) });
    expect(await ask(keyword({ q: WORDS[0]! }))).toMatchObject({ status: 200 });
  });
});
