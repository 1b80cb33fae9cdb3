import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildCatalogue, copyCatalogue, openSkillSearch, updateSkills, writeSnapshot } from '../../src/index.js';
import { readManifest } from '../../src/share/snapshot/manifest.js';
import { codeOf } from '../error-code.js';
import { type Row, row } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { describeWithPostgres } from '../share/postgres/describe-with-postgres.js';
import { serveFolder } from '../share/snapshot/snapshots.js';

/** Rows with texts that do not get much smaller when they are packed. */
function* manyRows(count: number): Generator<Row> {
  let state = 1;
  for (let i = 0; i < count; i++) {
    let text = '';
    for (let word = 0; word < 2500; word++) {
      state = (state * 48_271) % 2_147_483_647;
      text += `${((state % 7919) * 46_656).toString(36)} `;
    }
    yield { ...row(`skill-${i}`), files: [{ filename: 'SKILL.md', text }] };
  }
}

describeWithPostgres('a snapshot of a catalogue in PostgreSQL', (server) => {
  /** A database with some skills, and the cache of the machine that loaded them. */
  async function catalogue(
    rows: Iterable<Row> = Array.from({ length: 20 }, (_, i) => row(`skill-${i}`)),
  ): Promise<{ readonly database: string; readonly cache: string }> {
    const database = await server.database();
    const cache = scratchFolder();
    await buildCatalogue({ database, cache, semantic: false, sources: [{ name: 'rows', rows }] });
    return { database, cache };
  }
  const change = (database: string, id: string): Promise<unknown> =>
    updateSkills({ database, cache: scratchFolder(), semantic: false, rows: [row(id)] });

  test('is of the newest version, of which it brings the copy up to date, and can be followed', async () => {
    const { database, cache } = await catalogue();
    await change(database, 'later');
    const to = scratchFolder();
    const report = await writeSnapshot({ database, cache, to });
    expect(report).toMatchObject({ version: 2, written: report.chunks, pruned: 0 });
    const { address } = await serveFolder(to);
    await using followed = await openSkillSearch({ database: address, cache: scratchFolder() });
    await using searched = await openSkillSearch({ database, cache });
    expect(followed.stats().stamp).toBe(searched.stats().stamp);
    for (const q of ['later', 'skill']) expect(followed.keyword({ q })).toEqual(searched.keyword({ q }));
  });

  test('is the same twice, and shares most chunks where another machine writes it', async () => {
    const { database, cache } = await catalogue(manyRows(200));
    await change(database, 'later');
    const to = scratchFolder();
    const first = await writeSnapshot({ database, cache, to });
    const manifest = readFileSync(join(to, 'manifest.json'), 'utf8');
    expect(await writeSnapshot({ database, cache, to })).toMatchObject({ written: 0 });
    expect(readFileSync(join(to, 'manifest.json'), 'utf8')).toBe(manifest);
    // It has the files that the loader left in the database, and writes the same changes into them.
    const other = await writeSnapshot({ database, cache: scratchFolder(), to });
    expect(other.bytes).toBeGreaterThan(3e6);
    expect(other.written).toBeLessThan(first.chunks / 2);
    const { stamp, written } = readManifest(manifest, 'manifest.json');
    const now = readManifest(readFileSync(join(to, 'manifest.json'), 'utf8'), 'manifest.json');
    expect([now.stamp, now.written]).toEqual([stamp, written]);
  });

  test('is one published version, while loads publish and others follow with the same cache', async () => {
    const { database, cache } = await catalogue();
    const published = new Map<string, number>();
    await using search = await openSkillSearch({ database, cache });
    published.set(search.stats().stamp, 1);
    let isDone = false;
    const loads = (async () => {
      for (let n = 2; !isDone; n++) {
        await updateSkills({ database, cache, semantic: false, rows: [row(`later-${n}`)] });
        await using at = await openSkillSearch({ database, cache });
        published.set(at.stats().stamp, n);
      }
    })();
    const to = scratchFolder();
    const seen: [string, number][] = [];
    for (let i = 0; i < 4; i++) {
      const { version } = await writeSnapshot({ database, cache, to, prune: true });
      const { address, stop } = await serveFolder(to);
      await using followed = await openSkillSearch({ database: address, cache: scratchFolder() });
      const { stamp, skills } = followed.stats();
      seen.push([stamp, version!]);
      expect(skills).toBe(20 + version! - 1);
      if (version! > 1) expect(followed.get(`later-${version}`)?.id).toBe(`later-${version}`);
      await stop();
    }
    isDone = true;
    await loads;
    for (const [stamp, version] of seen) if (published.has(stamp)) expect(published.get(stamp)).toBe(version);
    expect(seen.some(([stamp]) => published.has(stamp))).toBe(true);
  }, 60_000);

  test('of nothing, and without the database, is refused, and leaves what was there', async () => {
    const { database, cache } = await catalogue();
    const to = scratchFolder();
    expect(
      await codeOf(async () => writeSnapshot({ database: await server.database(), cache: scratchFolder(), to })),
    ).toBe('DATABASE_NOT_FOUND');
    await writeSnapshot({ database, cache, to });
    const before = readdirSync(to, { recursive: true });
    await server.stop();
    expect(await codeOf(() => writeSnapshot({ database, cache, to }))).toBe('DATABASE_NOT_READABLE');
    await server.start();
    expect(readdirSync(to, { recursive: true })).toEqual(before);
  });

  test('can be a single file, too: a copy of the newest version', async () => {
    const { database, cache } = await catalogue();
    await change(database, 'later');
    const to = scratchFile('skills.db');
    await copyCatalogue({ from: database, cache, to });
    await using search = await openSkillSearch({ database: to });
    expect(search.get('later')?.id).toBe('later');
    expect(await codeOf(() => copyCatalogue({ from: database, cache, to }))).toBe('CATALOGUE_EXISTS');
    await copyCatalogue({ from: database, cache, to, overwrite: true });
    // It is a catalogue of its own.
    await updateSkills({ database: to, semantic: false, rows: [row('mine')] });
    await using changed = await openSkillSearch({ database: to });
    expect(changed.stats().skills).toBe(22);
  });
});
