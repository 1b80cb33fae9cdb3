import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildCatalogue } from '../../src/index.js';
import { scratchFolder } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { writeFiles } from '../sources/folders.js';
import { FIND, HEALTH, keyword, opened, semantic, serve } from './ask.js';

describe('the path of a folder on the machine', () => {
  test('leaves in no answer, even of a search that was opened for local paths', async () => {
    const home = realpathSync(scratchFolder());
    await writeFiles(join(home, 'skills'), {
      'pdf/SKILL.md': '---\nname: pdf\ndescription: Reads PDF files.\nmodel: opus\n---\nText\n',
      'pdf/forms.md': 'forms',
    });
    const database = join(home, 'skills.db');
    const embedder = new StandInEmbedder();
    await buildCatalogue({ database, sources: [join(home, 'skills')], embedder });
    const search = await opened({ database, localPaths: true, embedder });
    expect(search.get('skills-pdf')?.localPath).toBe(join(home, 'skills/pdf'));

    for (const compatibility of [undefined, 'skillsmp'] as const) {
      const { ask, key } = await serve(search, { pages: true, compatibility });
      const paths = [
        keyword({ q: 'pdf' }),
        keyword({ q: 'pdf', sortBy: 'stars' }),
        keyword({ q: '' }),
        semantic('read a pdf'),
        HEALTH,
        `${FIND}?q=pdf`,
        '/',
        '/openapi.json',
        '/skills/skills-pdf',
        '/skills/none',
      ];
      const replies = await Promise.all(paths.map((path) => ask(path, { key })));
      expect(replies.filter(({ text }) => text.includes('skills-pdf')).length).toBeGreaterThanOrEqual(4);
      for (const { text, headers } of replies) {
        const sent = text + JSON.stringify([...headers]);
        expect(sent).not.toContain(home);
        expect(sent).not.toContain('localPath');
      }
    }
  });
});
