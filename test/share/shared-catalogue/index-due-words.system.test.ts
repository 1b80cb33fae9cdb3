import { rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { MAX_CHANGED_IN_PLACE } from '../../../src/core/index.js';
import { buildCatalogue, openSkillSearch, updateSkills } from '../../../src/index.js';
import { stampOfKeywordFile } from '../../../src/indexing/keyword-file.js';
import { filesBeside } from '../../../src/store/files.js';
import { FileLock } from '../../../src/store/locks.js';
import { row } from '../../rows.js';
import { scratchFolder } from '../../scratch-folder.js';
import { describeWithPostgres } from '../postgres/describe-with-postgres.js';
import { SharedLoader } from './shared-loader.js';

describeWithPostgres('a copy whose words were not indexed before its maker ended', (server) => {
  /** The file is there, and it is of a former state from which no small changes lead on. */
  async function left(): Promise<{ readonly address: string; readonly database: string; readonly stamp: string }> {
    const loader = await SharedLoader.open(await server.database());
    const { address, database } = loader;
    await buildCatalogue({ database, semantic: false, sources: [{ name: 'rows', rows: [row('first')] }] });
    await loader.publish();
    const copy = loader.copyIn(scratchFolder());
    await copy.bringUp();
    const rows = Array.from({ length: MAX_CHANGED_IN_PLACE + 1 }, (_, i) => row(`skill-${i}`));
    await updateSkills({ database, semantic: false, rows });
    await loader.publish();
    const { stamp } = await copy.bringUp({ index: 'nothing' });
    expect(stampOfKeywordFile(copy.database)).not.toBe(stamp);
    return { address, database: copy.database, stamp };
  }

  test('is finished by the next one that searches words there, and by no later one', async () => {
    const { address, database, stamp } = await left();
    const cache = dirname(database);
    const { keyword } = filesBeside(database);
    // What a killed process leaves of its lock.
    writeFileSync(`${database}.replica-lock`, '');
    await using search = await openSkillSearch({ database: address, cache });
    expect(stampOfKeywordFile(database)).toBe(stamp);
    expect(search.keyword({ q: 'skill' }).pagination.total).toBe(MAX_CHANGED_IN_PLACE + 1);
    const { ino, mtimeNs } = statSync(keyword, { bigint: true });
    await (await openSkillSearch({ database: address, cache })).close();
    expect(statSync(keyword, { bigint: true })).toMatchObject({ ino, mtimeNs });
  });

  test('is finished where its file is missing, too', async () => {
    const { address, database, stamp } = await left();
    rmSync(filesBeside(database).keyword);
    await (await openSkillSearch({ database: address, cache: dirname(database) })).close();
    expect(stampOfKeywordFile(database)).toBe(stamp);
  });

  test('is finished while the database is away', async () => {
    const { address, database, stamp } = await left();
    await server.stop();
    onTestFinished(() => server.start());
    await using search = await openSkillSearch({ database: address, cache: dirname(database) });
    expect(search.problems.warnings).toHaveLength(1);
    expect(stampOfKeywordFile(database)).toBe(stamp);
  });

  test('is left as it is by a search that finds another process indexing', async () => {
    const { address, database, stamp } = await left();
    const place = { database: address, cache: dirname(database) };
    const lock = FileLock.take(`${database}.replica-lock`)!;
    onTestFinished(() => lock.release());
    await using search = await openSkillSearch(place);
    expect(search.keyword({ q: 'skill' }).pagination.total).toBe(MAX_CHANGED_IN_PLACE + 1);
    expect(stampOfKeywordFile(database)).not.toBe(stamp);
  });

  test('is not finished for one that was told to stop', async () => {
    const { address, database } = await left();
    const reason = new Error('enough');
    const opening = openSkillSearch({ database: address, cache: dirname(database), signal: AbortSignal.abort(reason) });
    await expect(opening).rejects.toBe(reason);
  });
});
