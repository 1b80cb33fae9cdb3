import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createHandler } from '../../src/http/index.js';
import { buildCatalogue } from '../../src/index.js';
import { codeOf } from '../error-code.js';
import { row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { temporaryFolder } from '../sources/folders.js';
import { keyword, ORIGIN, opened, type Reply, searchOver, semantic, serve } from './ask.js';
import { KITE } from './pages/kite.js';
import { faultsOf, KEYWORD_ANSWER } from './shapes.js';

describe('an address that nobody told', () => {
  test.each<[string | undefined, string]>([
    [undefined, ORIGIN],
    ['https://skills.example', 'https://skills.example'],
    ['https://skills.example/', 'https://skills.example'],
    ['https://skills.example:8443/base//', 'https://skills.example:8443/base'],
    ['http://[2001:db8::1]:8787', 'http://[2001:db8::1]:8787'],
  ])('becomes <public URL>/skills/<id>, with the public URL %s', async (publicUrl, base) => {
    const { ask, key } = await serve([row('kite'), row('known', { skillUrl: 'https://market.example/known' })], {
      publicUrl,
    });
    for (const reply of [await ask(keyword({ q: 'name' })), await ask(semantic('name'), { key })]) {
      const urls = skillsOf(reply).map(({ id, codehostUrl, skillUrl }) => [id, codehostUrl, skillUrl]);
      expect(urls.toSorted()).toEqual([
        ['kite', `${base}/skills/kite`, `${base}/skills/kite`],
        ['known', `${base}/skills/known`, 'https://market.example/known'],
      ]);
    }
  });

  test('is by default under the address that the client asked', async () => {
    const { handle } = await serve([row('kite')]);
    const response = await handle(new Request('https://other.example:444/api/v1/skills/search?q=kite'));
    expect(JSON.stringify(await response.json())).toContain('"https://other.example:444/skills/kite"');
  });

  test('is not mistaken for one where only a text of the skill says so', async () => {
    const text = '"codehostUrl":"unknown","skillUrl":"unknown"';
    const { ask } = await serve([{ ...KITE, description: text }]);
    expect(skillsOf(await ask(keyword({ q: 'kite' })))).toMatchObject([
      { description: text, codehostUrl: KITE.codehostUrl, skillUrl: KITE.skillUrl },
    ]);
  });

  test('is never a path of this machine: a folder of skills leaves nothing of where it lies', async () => {
    const folder = await temporaryFolder({
      'workshop/kite/SKILL.md': '---\nname: kite-builder\ndescription: Builds kites.\n---\nFold the spar.',
      'workshop/kite/references/knots.md': 'The bowline.',
    });
    const database = scratchFile('skills.db');
    // The name of the folder itself is in the ids; what it lies in is nobody's business.
    await buildCatalogue({ database, sources: [join(folder, 'workshop')], semantic: false });
    const { ask } = await serve(await opened({ database }), { pages: true, publicUrl: 'https://skills.example' });
    const reply = await ask(keyword({ q: 'kite' }));
    expect(faultsOf(KEYWORD_ANSWER, reply.body)).toEqual([]);
    const [skill] = skillsOf(reply);
    const page = `https://skills.example/skills/${skill?.['id']}`;
    expect(skill).toMatchObject({ name: 'kite-builder', codehostUrl: page, skillUrl: page, author: 'unknown' });
    const texts = [reply.text, (await ask(`/skills/${skill?.['id']}`)).text, (await ask('/')).text];
    for (const text of texts) {
      for (const part of [folder, ...folder.split('/').filter((one) => one.startsWith('catalogue-'))]) {
        expect(text.toLowerCase()).not.toContain(part.toLowerCase());
      }
    }
  });

  test.each([
    'skills.example',
    '/base',
    'ftp://skills.example',
    'https://skills.example/?a',
    'https://skills.example/#a',
    'https://me:pw@skills.example',
    '',
  ])('cannot be under %j: such a public URL is refused', async (publicUrl) => {
    const search = await searchOver([]);
    expect(await codeOf(() => createHandler(search, { publicUrl }))).toBe('INVALID_OPTION');
  });
});

function skillsOf({ body }: Reply): Record<string, unknown>[] {
  const { data } = body as {
    data: { skills?: Record<string, unknown>[]; data?: { skill: Record<string, unknown> }[] };
  };
  return data.skills ?? (data.data ?? []).map(({ skill }) => skill);
}
