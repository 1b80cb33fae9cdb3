/**
 * A machine that loads a shared catalogue, with a cache of its own: does one {@link Order} after the other, for trials
 * that kill it.
 *
 *     loading-machine.ts ADDRESS CACHE
 */
import { buildCatalogue, SkillSearchError } from '../../src/index.js';
import { StandInEmbedder } from '../../test/semantic/stand-in-embedder.js';
import { answerMessages } from '../child-program.js';
import type { Done, Order } from '../trials/shared-loads.js';

const [database = '', cache = ''] = process.argv.slice(2);

answerMessages(async (message): Promise<Done> => {
  const { source, rows, prune, embeds } = message as Order;
  const embedder = new StandInEmbedder();
  const model = embeds ? { embedder } : { semantic: false };
  try {
    const sources = [{ name: source, rows }];
    const { warnings, rejected } = await buildCatalogue({ database, cache, sources, prune, ...model });
    return { embedded: embedder.asked, problems: [...warnings, ...rejected].map((one) => JSON.stringify(one)) };
  } catch (error) {
    const problem = error instanceof SkillSearchError ? `${error.code}: ${error.message}` : String(error);
    return { embedded: embedder.asked, problems: [problem] };
  }
});
