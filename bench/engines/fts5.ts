import { Database } from '../../src/store/sqlite.js';
import type { DocumentedEngine, EngineDocument } from './engine.js';

/**
 * Its documentation (https://sqlite.org/fts5.html): a table of two columns, `ORDER BY rank`, which is bm25. Words
 * without an operator must all be there, which few requests of a whole sentence find anything by. So any word will do.
 *
 * @param tokenizer as `tokenize` takes it
 */
export function fts5Over(documents: readonly EngineDocument[], tokenizer: 'unicode61' | 'porter'): DocumentedEngine {
  const connection = new Database(':memory:');
  connection.exec(`CREATE VIRTUAL TABLE skill USING fts5 (id UNINDEXED, name, description, tokenize = '${tokenizer}')`);
  const add = connection.prepare<[string, string, string]>('INSERT INTO skill VALUES (?, ?, ?)');
  connection.transaction(() => {
    for (const { id, name, description } of documents) add.run(id, name, description);
  })();
  const find = connection.prepare<[query: string, limit: number], { id: string; rank: number }>(
    'SELECT id, rank FROM skill WHERE skill MATCH ? ORDER BY rank LIMIT ?',
  );
  return {
    // The better, the further below 0 its bm25 is.
    search: (q, limit) => find.all(anyWordOf(q), limit).map(({ id, rank }) => ({ id, score: -rank })),
    close: async () => {
      connection.close();
    },
  };
}

/** In quotes a word is never an operator. */
function anyWordOf(q: string): string {
  return Array.from(q.matchAll(/[\p{L}\p{N}\p{M}]+/gu), ([word]) => `"${word}"`).join(' OR ');
}
