import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildCatalogue, writeSnapshot } from '../../src/index.js';
import { row } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { serveFolder } from '../share/snapshot/snapshot-server.js';
import { runCaptured } from './run-captured.js';
import { SEARCH, startServing } from './serving.js';

describe('snapshot', () => {
  test('writes what serve follows', async () => {
    const database = scratchFile('skills.db');
    await buildCatalogue({ database, semantic: false, sources: [{ name: 'rows', rows: [row('alpha')] }] });
    const folder = scratchFolder();
    const { status, out } = await runCaptured(['snapshot', '--database', database, '--to', folder]);
    expect([status, out]).toEqual([
      0,
      expect.stringMatching(/manifest\.json: \d\.\d MB in \d chunks, of which \d are new \(\d\.\d MB\)\.\n$/),
    ]);
    const { address } = await serveFolder(folder);
    const cache = scratchFolder();
    const state = ['--state', scratchFile('access.db')];
    const server = await startServing(['--database', address, '--cache', cache, '--look-every', '1', ...state]);
    expect(await (await fetch(`${server.url}${SEARCH}`)).json()).toMatchObject({ data: { pagination: { total: 1 } } });
    expect(existsSync(join(cache, 'skills.db'))).toBe(true);
  });

  test('commands say what they wait for when a server takes long', async () => {
    const database = scratchFile('skills.db');
    await buildCatalogue({ database, semantic: false, sources: [{ name: 'rows', rows: [row('alpha')] }] });
    const folder = scratchFolder();
    await writeSnapshot({ database, to: folder });
    const server = await serveFolder(folder);
    server.instead = (_, response) => {
      server.instead = undefined;
      setTimeout(() => response.end(readFileSync(join(folder, 'manifest.json'))), 5000);
      return true;
    };
    const { status, error } = await runCaptured(['list', '--database', server.address, '--cache', scratchFolder()]);
    expect([status, error]).toEqual([0, expect.stringContaining(`waiting for the catalogue at ${server.address}: `)]);
  });

  test.each([
    ['without a folder', ['snapshot'], /required option '--to <folder>'/],
    [
      'of nothing',
      ['snapshot', '--database', '/nowhere/skills.db', '--to', 'x'],
      /no catalogue at \/nowhere\/skills\.db/,
    ],
    ['of a snapshot', ['snapshot', '--database', 'https://example.org/m.json', '--to', 'x'], /path of a file here/],
    [
      'that is not there',
      ['search', '--database', 'http://127.0.0.1:1/manifest.json', 'pdf'],
      /cannot fetch the snapshot/,
    ],
    ['with a cache that nothing uses', ['serve', '--cache', 'x'], /--cache is for a catalogue that is no file/],
    ['looked for too often', ['serve', '--look-every', '0'], /It must be from 1 to 86400/],
  ])('%s says what is wrong', async (_, words, message) => {
    const { status, error } = await runCaptured(words);
    expect(error).toMatch(message);
    expect(status).toBeGreaterThan(0);
  });
});
