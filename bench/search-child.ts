// Opens a catalogue and answers a class of questions. A process of its own for each class: nothing that an earlier
// class has asked for is remembered.
import { openSkillSearch, type SkillSearch } from '../src/index.js';
import { answerParent } from './child.js';
import { type ClassRequest, type ClassTimes, type Engine, measureClass, PAGE } from './engine.js';

export interface SearchRequest extends ClassRequest {
  readonly database: string;
}

answerParent(async ({ database, ...request }: SearchRequest): Promise<ClassTimes[]> => {
  let search: SkillSearch | undefined;
  // Opened anew for each order: what one order has read is not remembered for the next.
  const open = async (): Promise<Engine> => {
    await search?.close();
    search = await openSkillSearch({ database });
    return engineOf(search);
  };
  const rows = await measureClass(open, request);
  await search?.close();
  return rows;
});

function engineOf(search: SkillSearch): Engine {
  return {
    ask(q, sortBy, category) {
      const { hits, pagination, step } = search.keyword({ q, sortBy, category, limit: PAGE });
      // Parts of a hit may be made when they are read.
      const ids = hits.map(({ skill }) => skill.id);
      return { ids, total: pagination.total, step };
    },
    explain(q, sortBy, category) {
      const { hits } = search.keyword({ q, sortBy, category, limit: PAGE });
      for (const { skill, matches, snippet } of hits) read(skill.id, matches, snippet.text);
    },
  };
}

function read(...parts: readonly unknown[]): void {
  if (parts.includes(undefined)) throw new Error('a hit lacks what explains it');
}
