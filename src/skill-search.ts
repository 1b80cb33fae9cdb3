import { readRows } from './catalogue/read-rows.js';
import { SkillSearchError } from './errors.js';
import { Ingest } from './ingest.js';
import type { DocumentSource, KeywordDocument, KeywordIndex } from './keyword/keyword-index.js';
import { matchedTerms } from './keyword/matched-terms.js';
import { MiniSearchIndex } from './keyword/minisearch-index.js';
import { readQuestion } from './keyword/question.js';
import { makeSnippet } from './keyword/snippet.js';
import type { LoadWarning, RejectedRow } from './load-report.js';
import { checkDatabase, checkRows, type OpenOptions } from './options.js';
import { type KeywordQuery, type ResolvedKeywordQuery, resolveKeywordQuery } from './query.js';
import { collapseCopies } from './ranking/copies.js';
import { categoryLabels, labelMask, occupationLabels } from './ranking/label-filter.js';
import { comparatorOf, copyPreference } from './ranking/ranks.js';
import { topOf } from './ranking/top.js';
import type { CatalogueStats, KeywordResult, LabelCount } from './result.js';
import type { Skill, SkillDetails, SkillFile } from './skill.js';
import { CatalogueReader } from './store/catalogue-reader.js';
import { MemoryCatalogue } from './store/memory-catalogue.js';

/** A catalogue opened for searching; made by {@link openSkillSearch}. */
export interface SkillSearch extends AsyncDisposable {
  /**
   * Skills by words.
   *
   * @throws {SkillSearchError} `MISSING_QUERY`, `INVALID_QUERY`, `INVALID_PARAMETER`, `SERVICE_UNAVAILABLE` when closed
   */
  keyword(query: KeywordQuery): KeywordResult;
  /** The skill of an id, or undefined. */
  get(id: string): SkillDetails | undefined;
  /** The files of a skill; none where there is no such skill. */
  files(id: string): SkillFile[];
  /** All categories, the most frequent first. */
  categories(): LabelCount[];
  /** All occupations, the most frequent first. */
  occupations(): LabelCount[];
  stats(): CatalogueStats;
  /** Of `openSkillSearch({ skills })`: the rows that could not become a skill, and what was mended in others. */
  readonly problems: { readonly rejected: readonly RejectedRow[]; readonly warnings: readonly LoadWarning[] };
  /** Lets go of the file. Later calls fail, except this one. */
  close(): Promise<void>;
}

/**
 * Opens a catalogue for searching: a file made by `buildCatalogue`, or skills held in memory.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`, `DATABASE_NOT_FOUND`, `DATABASE_NOT_READABLE`, `NOT_A_CATALOGUE`,
 *   `UNSUPPORTED_FORMAT`
 * @throws the signal's reason when aborted
 * @example
 * await using search = await openSkillSearch({ database: 'skills.db' });
 * search.keyword({ q: 'react testing', category: 'testing', limit: 10 });
 */
export async function openSkillSearch(options: OpenOptions): Promise<SkillSearch> {
  const { keywordIndex } = options ?? {};
  if (keywordIndex !== undefined && keywordIndex !== false && keywordIndex !== 'minisearch') {
    throw new SkillSearchError(
      'INVALID_OPTION',
      `keywordIndex must be 'minisearch' or false, got ${String(keywordIndex)}`,
    );
  }
  if ((options?.database === undefined) === (options?.skills === undefined)) {
    throw new SkillSearchError('INVALID_OPTION', 'openSkillSearch needs either `database` or `skills`');
  }
  options.signal?.throwIfAborted();
  const { reader, problems } = await openCatalogue(options);
  try {
    const wanted = options.keywordIndex !== false;
    const index = wanted ? await MiniSearchIndex.build(documentsOf(reader), options.signal) : undefined;
    return new OpenedSkillSearch(reader, index, problems);
  } catch (error) {
    reader.close();
    throw error;
  }
}

type Problems = SkillSearch['problems'];

async function openCatalogue(options: OpenOptions): Promise<{ reader: CatalogueReader; problems: Problems }> {
  if (options.skills === undefined) {
    const reader = CatalogueReader.open(checkDatabase(options.database));
    return { reader, problems: { rejected: [], warnings: [] } };
  }
  const rows = checkRows(options.skills, 'skills');
  const catalogue = new MemoryCatalogue();
  try {
    const ingest = new Ingest(catalogue);
    for await (const item of readRows(rows, 'skills', { signal: options.signal })) ingest.take(item, 'skills');
    return { reader: catalogue.read(), problems: { rejected: ingest.rejected, warnings: ingest.warnings } };
  } catch (error) {
    catalogue.close();
    throw error;
  }
}

function documentsOf(reader: CatalogueReader): DocumentSource {
  const { size } = reader.columns;
  const read = (number: number): KeywordDocument => documentOf(reader, number, reader.skill(number));
  return {
    size,
    read,
    *all() {
      for (let number = 0; number < size; number++) yield read(number);
    },
  };
}

function documentOf(reader: CatalogueReader, number: number, skill: Skill): KeywordDocument {
  let files: KeywordDocument['files'] | undefined;
  return {
    name: skill.name,
    author: skill.author,
    labels: [...skill.categories, ...skill.occupations],
    description: skill.description,
    // Most that is asked of a document needs no file text, which is most of its bytes.
    get files() {
      files ??= reader.texts(number);
      return files;
    },
  };
}

class OpenedSkillSearch implements SkillSearch {
  readonly problems: Problems;
  readonly #index: KeywordIndex | undefined;
  #reader: CatalogueReader | undefined;

  constructor(reader: CatalogueReader, index: KeywordIndex | undefined, problems: Problems) {
    this.#reader = reader;
    this.#index = index;
    this.problems = problems;
  }

  keyword(query: KeywordQuery): KeywordResult {
    const reader = this.#opened();
    if (this.#index === undefined) {
      throw new SkillSearchError('SERVICE_UNAVAILABLE', 'this search was opened without a keyword index');
    }
    const resolved = resolveKeywordQuery(query);
    const { page, limit, sortBy } = resolved;
    const question = readQuestion(resolved.q);
    const matches = this.#index.match(question, { filter: maskOf(reader, resolved), scored: sortBy === 'relevance' });

    const scores = new Map<number, number>();
    matches.scores?.forEach((score, i) => {
      scores.set(matches.numbers[i] as number, score);
    });
    const { columns } = reader;
    const compare = comparatorOf(sortBy, columns, (number) => scores.get(number) as number);
    const { numbers, counts } =
      resolved.copies === 'collapse'
        ? collapseCopies(matches.numbers, columns.copyGroup, copyPreference(columns))
        : { numbers: matches.numbers, counts: new Map<number, number>() };

    const hits = topOf(numbers, compare, (page - 1) * limit, limit).map((number) => {
      const skill = reader.skill(number);
      const document = documentOf(reader, number, skill);
      const score = scores.get(number);
      return {
        skill,
        ...(score === undefined ? {} : { score }),
        matches: matchedTerms(document, matches),
        snippet: makeSnippet(document, matches),
        copies: counts.get(number) ?? 1,
      };
    });
    const total = numbers.length;
    const pagination = { page, limit, total, totalPages: Math.ceil(total / limit) };
    return { ...(matches.step === undefined ? {} : { step: matches.step }), hits, pagination };
  }

  get(id: string): SkillDetails | undefined {
    return this.#opened().get(id);
  }

  files(id: string): SkillFile[] {
    return this.#opened().files(id);
  }

  categories(): LabelCount[] {
    return countLabels(this.#opened().columns.categories);
  }

  occupations(): LabelCount[] {
    return countLabels(this.#opened().columns.occupations);
  }

  stats(): CatalogueStats {
    const reader = this.#opened();
    const { size, updatedAt, categories, occupations } = reader.columns;
    return {
      skills: size,
      files: reader.countFiles(),
      categories: categories.size,
      occupations: occupations.size,
      newest: updatedAt[0] ?? 0,
      stamp: reader.stamp,
    };
  }

  async close(): Promise<void> {
    this.#reader?.close();
    this.#reader = undefined;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #opened(): CatalogueReader {
    if (this.#reader === undefined) throw new SkillSearchError('SERVICE_UNAVAILABLE', 'this search was closed');
    return this.#reader;
  }
}

function maskOf({ columns }: CatalogueReader, { category, occupation }: ResolvedKeywordQuery): Uint8Array | undefined {
  const { size, categories, occupations } = columns;
  const lists = [];
  if (category !== undefined) lists.push({ labels: categories, slugs: categoryLabels(categories, category) });
  if (occupation !== undefined) lists.push({ labels: occupations, slugs: occupationLabels(occupations, occupation) });
  return labelMask(size, lists);
}

function countLabels(labels: ReadonlyMap<string, readonly number[]>): LabelCount[] {
  return [...labels]
    .map(([slug, documents]) => ({ slug, count: documents.length }))
    .sort((a, b) => b.count - a.count || (a.slug < b.slug ? -1 : 1));
}
