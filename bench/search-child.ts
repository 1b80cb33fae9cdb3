// Opens a catalogue and answers rounds of questions. A process of its own, so that its memory is its own.
import { openSkillSearch, type SkillSearch } from '../src/index.js';
import { answerParent } from './child.js';
import { type ClassTimes, type Engine, measureRound, PAGE, type RoundOptions } from './engine.js';

/** First which catalogue, then rounds. */
export type SearchRequest = { readonly database: string } | SearchRound;

export interface SearchRound extends RoundOptions {
  /** Whether what explains a hit is read as well: matches and snippet. */
  readonly explained: boolean;
}

export interface SearchReply {
  readonly rows: readonly ClassTimes[];
  readonly rss: number;
}

let search: SkillSearch;

answerParent(async (request: SearchRequest): Promise<SearchReply> => {
  if ('database' in request) {
    search = await openSkillSearch({ database: request.database });
    return { rows: [], rss: process.memoryUsage.rss() };
  }
  const rows = measureRound(engineOf(search, request.explained), request);
  return { rows, rss: process.memoryUsage.rss() };
});

function engineOf(opened: SkillSearch, explained: boolean): Engine {
  return {
    ask(q, sortBy, category) {
      const { hits, pagination, step } = opened.keyword({ q, sortBy, category, limit: PAGE });
      // Parts of a hit may be made when they are read.
      const ids = hits.map(({ skill }) => skill.id);
      if (explained) for (const { matches, snippet } of hits) read(matches, snippet.text);
      return { ids, total: pagination.total, step };
    },
  };
}

function read(...parts: readonly unknown[]): void {
  if (parts.includes(undefined)) throw new Error('a hit lacks what explains it');
}
