import { describe, expect, test } from 'vitest';
import { catalogueOf, PDF_FORMS, skillMarkdown } from '../agents/install/skill-catalogue.js';
import { runCaptured } from './run-captured.js';
import { startServing } from './serving.js';

describe('serve --publish', () => {
  test('publishes what any of its values chooses, and says where', async () => {
    const { database } = await catalogueOf({ ...PDF_FORMS, 'cron/SKILL.md': skillMarkdown('cron') });
    const words = ['--publish', 'category:none', '--publish', 'folders', '--published-per-minute', '2'];
    const server = await startServing(['--database', database, ...words, '--no-pages']);
    const ask = () => fetch(`${server.url}/.well-known/agent-skills/index.json`);
    const { skills } = (await (await ask()).json()) as { skills: { name: string }[] };
    expect(skills.map(({ name }) => name)).toEqual(['cron', 'pdf-forms']);
    expect(server.output().out).toContain(`npx skills add ${server.url}`);
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 429]);
  });

  test.each(['everything', 'category', 'category:', 'colour:red', ''])('refuses %j', async (value) => {
    const { status, error } = await runCaptured(['serve', '--publish', value]);
    expect([status, error]).toEqual([2, expect.stringContaining('all, folders')]);
  });
});
