import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openSkillSearch } from '../../../src/index.js';
import type { CataloguePlace } from '../../load/contract/catalogue-under-test.js';
import { scratchFile, scratchFolder } from '../../scratch-folder.js';
import { StandInEmbedder } from '../../semantic/stand-in-embedder.js';
import { describeWithPostgres } from '../postgres/describe-with-postgres.js';
import { answersOf, doStep, randomSteps } from './random-steps.js';

describeWithPostgres('a catalogue in PostgreSQL', (server) => {
  test('reports and answers whatever is done with it as one in a file', async () => {
    await fc.assert(
      fc.asyncProperty(randomSteps, fc.boolean(), async (steps, vectors) => {
        const file = { database: scratchFile('skills.db') };
        const database = await server.database();
        const machine = (): CataloguePlace => ({ database, cache: scratchFolder() });
        const [first, second, reader] = [machine(), machine(), machine()];
        const folder = scratchFolder();
        for (const [i, step] of steps.entries()) {
          const report = await doStep(step, i % 2 === 0 ? first : second, folder, vectors);
          expect([i, report]).toEqual([i, await doStep(step, file, folder, vectors)]);
          // What comes now is brought to the copy that is there.
          if (i === 1) await asked(reader);
        }
        const expected = await asked(file);
        for (const place of [reader, machine()]) expect(await asked(place)).toEqual(expected);
      }),
      { numRuns: 6, interruptAfterTimeLimit: 30_000 },
    );
  }, 120_000);
});

/** What a search over a catalogue answers, or the code of its failure. */
async function asked(place: CataloguePlace): Promise<unknown> {
  try {
    await using search = await openSkillSearch({ ...place, embedder: new StandInEmbedder() });
    return await answersOf(search);
  } catch (error) {
    return (error as { readonly code?: string }).code ?? error;
  }
}
