import { join } from 'node:path';
import { type Connection, Database, type Statement } from '../../src/store/sqlite.js';
import type { Attempt, AttemptWord } from './attempts.js';
import { CORE_FIELDS } from './catalogue.js';
import { addDocuments, type BuiltPeer, type Peer, type PeerFolder } from './peer.js';

interface Statements {
  readonly page: Statement<[query: string, ...unknown[]], number>;
  readonly total: Statement<[query: string, ...unknown[]], number>;
}

/**
 * Its documentation: a contentless table, filled in one transaction and optimised, an index of prefixes, `rank` for
 * bm25. Rows are numbered by date, so that this order costs nothing; stars and categories are joined. The terms are
 * parted at white space only.
 */
export async function buildFts5({ catalogue, folder }: PeerFolder): Promise<BuiltPeer> {
  const connection = new Database(join(folder, 'fts5.db'));
  connection.pragma('journal_mode = OFF');
  connection.pragma('synchronous = OFF');
  connection.exec(`
    CREATE VIRTUAL TABLE words USING fts5 (name, labels, description, files, content = '', prefix = '3',
      tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'");
    CREATE TABLE stars (place INTEGER PRIMARY KEY, rank INTEGER NOT NULL);
    CREATE TABLE category (slug TEXT NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (slug, place)) WITHOUT ROWID;`);
  const seconds = await addDocuments(catalogue, (documents) => {
    const addText = connection.prepare(
      'INSERT INTO words (rowid, name, labels, description, files) VALUES (?, ?, ?, ?, ?)',
    );
    const addStars = connection.prepare('INSERT INTO stars VALUES (?, ?)');
    const addCategory = connection.prepare('INSERT INTO category VALUES (?, ?)');
    connection.transaction(() => {
      for (const { id, name, labels, description, files } of documents) {
        addText.run(id, name, labels, description, files);
        addStars.run(id, catalogue.starRank(id));
      }
      for (const [slug, mask] of catalogue.categories) {
        for (const [place, has] of mask.entries()) if (has === 1) addCategory.run(slug, place);
      }
    })();
    connection.exec("INSERT INTO words (words) VALUES ('optimize')");
  });

  const plain = { recent: '', stars: '', relevance: '' };
  const statements = { all: prepare(connection, plain, false), labelled: prepare(connection, plain, true) };
  const search: Peer['search'] = (attempt, { sortBy, category, limit }) => {
    if (attempt.words.some(({ by }) => by === 'edits')) return undefined;
    const query = matchOf(attempt);
    const { page, total } = (category === undefined ? statements.all : statements.labelled)[sortBy];
    const labels = category === undefined ? [] : [category];
    return { places: page.all(query, ...labels, limit), total: total.get(query, ...labels) ?? 0 };
  };
  return { peer: { search }, seconds };
}

function prepare<Order extends string>(
  connection: Connection,
  orders: Record<Order, string>,
  labelled: boolean,
): Record<Order, Statements> {
  // The sign keeps SQLite from asking the index anew for every row of the category.
  const where = `words MATCH ?${labelled ? ' AND +words.rowid IN (SELECT place FROM category WHERE slug = ?)' : ''}`;
  const ends: Record<string, [join: string, order: string]> = {
    recent: ['', 'words.rowid'],
    stars: ['JOIN stars ON stars.place = words.rowid', 'stars.rank'],
    relevance: ['', 'words.rank'],
  };
  const total = connection.prepare<[string], number>(`SELECT count(*) FROM words WHERE ${where}`).pluck();
  const byOrder = Object.keys(orders).map((order) => {
    const [join = '', by = ''] = ends[order] ?? [];
    const sql = `SELECT words.rowid FROM words ${join} WHERE ${where} ORDER BY ${by} LIMIT ?`;
    return [order, { page: connection.prepare<[string], number>(sql).pluck(), total }] as const;
  });
  return Object.fromEntries(byOrder) as unknown as Record<Order, Statements>;
}

function matchOf({ words, required, everywhere, phrases }: Attempt): string {
  const all = words.map(wordOf).join(required === 'all' ? ' AND ' : ' OR ');
  const together = phrases.map((terms) => ` AND ${quoted(terms.join(' '))}`).join('');
  return `${everywhere ? '' : `{${CORE_FIELDS.join(' ')}} : `}((${all})${together})`;
}

function wordOf({ terms, by }: AttemptWord): string {
  const asked = terms.map((term) => `${quoted(term)}${by === 'beginning' ? ' *' : ''}`);
  return asked.length === 1 ? (asked[0] as string) : `(${asked.join(' OR ')})`;
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
