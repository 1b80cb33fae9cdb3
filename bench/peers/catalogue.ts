import type { SortOrder } from '../../src/index.js';
import { type StoredText, textOf } from '../../src/store/packing.js';
import { type Connection, Database, type Statement } from '../../src/store/sqlite.js';
import { fieldsOf, type SkillColumns } from '../../src/store/stored-skill.js';
import { termsOf } from './terms.js';

/** What a peer gets to index of a skill: in each field our own terms with blanks between them. */
export interface PeerDocument {
  /** Place of the skill in order of date: who sorts by number sorts by date. */
  readonly id: number;
  readonly name: string;
  /** Author, categories and occupations. */
  readonly labels: string;
  readonly description: string;
  /** Text of the files, and the parts of words in PascalCase, which both count from the second step on. */
  readonly files: string;
}

/** The fields of the first step, and those of all others. */
export const CORE_FIELDS = ['name', 'labels', 'description'] as const;
export const ALL_FIELDS = [...CORE_FIELDS, 'files'] as const;

interface SkillRow extends Pick<SkillColumns, 'id' | 'record' | 'stars' | 'updatedAt' | 'categories' | 'occupations'> {
  readonly number: number;
}

/**
 * The catalogue that all peers share: they index its documents, sort by its ranks, and read the records of a page from
 * it.
 */
export class PeerCatalogue {
  readonly size: number;
  readonly #connection: Connection;
  readonly #record: Statement<[number: number], SkillRow>;
  readonly #files: Statement<[number: number], StoredText>;
  /** Numbers in the database, by place in order of date. */
  readonly #rows: Float64Array;
  /** Place in order of stars, by place in order of date. */
  readonly #starRanks: Uint32Array;
  readonly #categories: Map<string, Uint8Array>;

  constructor(path: string) {
    this.#connection = new Database(path, { readonly: true });
    this.#record = this.#connection.prepare(
      `SELECT number, record, id, stars, updated_at AS updatedAt, place, categories, occupations
       FROM skill WHERE number = ?`,
    );
    this.#files = this.#connection
      .prepare<[number], StoredText>('SELECT text FROM file WHERE skill = ? ORDER BY position')
      .pluck();
    const rows = this.#connection
      .prepare<[], { number: number; stars: number; categories: string }>(
        'SELECT number, stars, categories FROM skill ORDER BY updated_at DESC, id',
      )
      .all();
    this.size = rows.length;
    this.#rows = Float64Array.from(rows, ({ number }) => number);
    const byStars = [...rows.keys()].sort((a, b) => (rows[b]?.stars ?? 0) - (rows[a]?.stars ?? 0) || a - b);
    this.#starRanks = new Uint32Array(rows.length);
    for (const [rank, id] of byStars.entries()) this.#starRanks[id] = rank;
    this.#categories = new Map();
    for (const [id, { categories }] of rows.entries()) {
      for (const slug of JSON.parse(categories) as string[]) {
        const mask = this.#categories.get(slug) ?? new Uint8Array(rows.length);
        mask[id] = 1;
        this.#categories.set(slug, mask);
      }
    }
  }

  *documents(): Generator<PeerDocument> {
    for (let id = 0; id < this.size; id++) {
      const { name, author, description, labels, files } = this.#textsOf(id);
      const core = [name, [author, ...labels].join(' . '), description].map(termsOf);
      const inFiles = termsOf(files.join(' . '));
      const [names, labelTerms, descriptions] = core.map(({ terms }) => terms.join(' ')) as [string, string, string];
      const rest = [...inFiles.terms, ...inFiles.inner, ...core.flatMap(({ inner }) => inner)];
      yield { id, name: names, labels: labelTerms, description: descriptions, files: rest.join(' ') };
    }
  }

  /** The same documents as they were written, for a peer with terms of its own. */
  *plainDocuments(): Generator<PeerDocument> {
    for (let id = 0; id < this.size; id++) {
      const { name, author, description, labels, files } = this.#textsOf(id);
      yield { id, name, labels: [author, ...labels].join(' '), description, files: files.join('\n') };
    }
  }

  /** As they were written, for a peer that has no more. */
  *namesAndDescriptions(): Generator<Pick<PeerDocument, 'id' | 'name' | 'description'>> {
    for (let id = 0; id < this.size; id++) {
      const row = this.#rowOf(id);
      const { name, description } = fieldsOf(row);
      yield { id, name, description };
    }
  }

  /** Ids of the skills of these places, each record read and parsed as whoever shows a page has to. */
  idsOf(places: readonly number[]): string[] {
    return places.map((place) => {
      const row = this.#rowOf(place);
      const skill = {
        ...fieldsOf(row),
        categories: JSON.parse(row.categories),
        occupations: JSON.parse(row.occupations),
      };
      return skill.id;
    });
  }

  /** Sorts places as an order asks for that the peer does not know itself. */
  sort(places: number[], sortBy: Exclude<SortOrder, 'relevance'>): number[] {
    if (sortBy === 'recent') return places.sort((a, b) => a - b);
    return places.sort((a, b) => this.starRank(a) - this.starRank(b));
  }

  starRank(place: number): number {
    return this.#starRanks[place] as number;
  }

  hasCategory(place: number, slug: string): boolean {
    return this.#categories.get(slug)?.[place] === 1;
  }

  categoriesOf(place: number): string[] {
    return JSON.parse(this.#rowOf(place).categories);
  }

  /** One byte a place, by category: 1 where the skill has it. */
  get categories(): ReadonlyMap<string, Uint8Array> {
    return this.#categories;
  }

  close(): void {
    this.#connection.close();
  }

  #rowOf(place: number): SkillRow {
    return this.#record.get(this.#rows[place] as number) as SkillRow;
  }

  #textsOf(place: number): {
    name: string;
    author: string;
    description: string;
    labels: string[];
    files: string[];
  } {
    const row = this.#rowOf(place);
    const { number, categories, occupations } = row;
    const { name, author, description } = fieldsOf(row);
    const labels = [...(JSON.parse(categories) as string[]), ...(JSON.parse(occupations) as string[])];
    return {
      name,
      author,
      description,
      labels,
      files: this.#files.all(number).map((text) => textOf(text, row.record) ?? ''),
    };
  }
}
