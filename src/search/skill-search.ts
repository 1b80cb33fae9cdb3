import { bestScored, topOf } from '../arrays/top.js';
import { checkSignal } from '../check-arguments.js';
import { allCopiesOf, collapseCopies } from '../copies/collapse-copies.js';
import { copyPreference } from '../copies/copy-preference.js';
import { SkillSearchError } from '../errors.js';
import type { OpenCatalogueImage } from '../indexing/catalogue-image.js';
import { askedWords } from '../keyword/explain/asked-words.js';
import type { KeywordIndex, KeywordMatches } from '../keyword/keyword-index.js';
import { type Question, readQuestion } from '../keyword/question.js';
import type { StopWords } from '../keyword/stop-words.js';
import type { LoadWarning, RejectedRow } from '../load/load-report.js';
import {
  type KeywordQuery,
  type LabelFilters,
  type ResolvedSemanticQuery,
  resolveKeywordQuery,
  resolveSemanticQuery,
  type SemanticQuery,
} from '../query.js';
import type { AskedQuestion, Judged } from '../ranking/hybrid.js';
import { categoryLabels, labelMask, occupationLabels } from '../ranking/label-filter.js';
import { comparatorOf } from '../ranking/ranks.js';
import type {
  CatalogueStats,
  KeywordHit,
  KeywordRecords,
  KeywordResult,
  LabelCount,
  Pagination,
  SemanticHit,
  SemanticResult,
} from '../result.js';
import type { SkillDetails, SkillFile } from '../skill.js';
import type { CatalogueReader } from '../store/read/catalogue-reader.js';
import type { CatalogueColumns } from '../store/read/columns.js';
import { untilAborted } from '../threads/abort.js';
import { answersOf, toKeywordHit, toSemanticHit } from './hits.js';
import { judgeCandidates, type SemanticSources, searchByMeaning } from './semantic-search.js';
import type { VectorSearch } from './vector-search.js';

/** A catalogue opened for searching; made by {@link openSkillSearch}. */
export interface SkillSearch extends AsyncDisposable {
  /**
   * Skills by words.
   *
   * @throws {SkillSearchError} `MISSING_QUERY`, `INVALID_QUERY`, `INVALID_PARAMETER`, `SERVICE_UNAVAILABLE` when closed
   */
  keyword(query: KeywordQuery): KeywordResult;
  /**
   * As {@link keyword}, without what explains a hit: for who sends skills on, such as a server.
   *
   * @throws as {@link keyword}
   */
  keywordRecords(query: KeywordQuery): KeywordRecords;
  /**
   * Skills by meaning and words. The first call loads the model and the index of vectors; see {@link warmUp}. By words
   * alone (`ranking: 'words'`) neither is needed.
   *
   * @throws {SkillSearchError} `MISSING_QUERY`, `INVALID_QUERY`, `INVALID_PARAMETER`, `SERVICE_UNAVAILABLE` when closed
   *   or opened without a keyword index (which only `ranking: 'vector'` can do without), and as {@link warmUp}
   * @throws the signal's reason when aborted
   */
  semantic(query: SemanticQuery, options?: { readonly signal?: AbortSignal | undefined }): Promise<SemanticResult>;
  /**
   * Loads what semantic search needs, so that the first question does not wait for it. Skills held in memory are
   * embedded here. What failed is tried again by the next call; keyword search does not need it.
   *
   * @throws {SkillSearchError} `NO_VECTORS`, `MODEL_MISMATCH`, `MODEL_NOT_FOUND`, `MODEL_NOT_READABLE`,
   *   `MODEL_RUNTIME_MISSING`, `EMBEDDER_FAILED`
   */
  warmUp(): Promise<void>;
  /** The skill of an id, or undefined. */
  get(id: string): SkillDetails | undefined;
  /** The files of a skill; none where there is no such skill. */
  files(id: string): SkillFile[];
  /** Their names, without reading them. */
  filenames(id: string): string[];
  /** One file of a skill, or undefined. */
  file(id: string, filename: string): SkillFile | undefined;
  /** The ids of all skills, in code-point order. */
  ids(): string[];
  /**
   * The ids of the skills that are copies of one, itself included: of the same name and description, or of nearly the same
   * text. In the order in which a search prefers them: most stars, then the oldest, then by id. None for an unknown id.
   */
  copiesOf(id: string): string[];
  /** All categories, the most frequent first. */
  categories(): LabelCount[];
  /** All occupations, the most frequent first. */
  occupations(): LabelCount[];
  stats(): CatalogueStats;
  /**
   * Asks the catalogue's file for a skill; returns if it answers.
   *
   * @throws {SkillSearchError} `DATABASE_NOT_READABLE`, `NOT_A_CATALOGUE`, `SERVICE_UNAVAILABLE` when closed
   */
  check(): void;
  /** Of `openSkillSearch({ skills })`: the rows that could not become a skill, and what was mended in others. */
  readonly problems: { readonly rejected: readonly RejectedRow[]; readonly warnings: readonly LoadWarning[] };
  /** Lets go of the file, the model and the index. Later calls fail, except this one. */
  close(): Promise<void>;
}

/** What a search works with; it closes what is open. */
export interface SearchParts {
  readonly reader: CatalogueReader;
  readonly index: KeywordIndex | undefined;
  readonly stopWords: StopWords;
  /** What the index and the columns may be read from. */
  readonly image: OpenCatalogueImage | undefined;
  readonly problems: SkillSearch['problems'];
  /** Stops what `openVectors` does. */
  readonly closing: AbortController;
  readonly openVectors: () => Promise<VectorSearch>;
  /** What was opened beforehand. */
  readonly vectors: Promise<VectorSearch> | undefined;
}

/** The skills of a page of a keyword search, and what is known of them. */
interface KeywordPage {
  readonly matches: KeywordMatches;
  /** The score of a document of the page; undefined where the order is not by relevance. Until the next question. */
  readonly scoreOf: (number: number) => number | undefined;
  /** How many copies a document stands for. */
  readonly counts: ReadonlyMap<number, number>;
  /** Document numbers in the order of the page. */
  readonly numbers: readonly number[];
  readonly pagination: Pagination;
}

/** A semantic question, ready to be answered. */
interface Asking {
  readonly resolved: ResolvedSemanticQuery;
  readonly question: Question;
  readonly filter: Uint8Array | undefined;
  readonly signal: AbortSignal;
  readonly sources: SemanticSources;
}

/** A document that competes for an answer. */
interface CandidateOfQuestion extends Judged {
  readonly id: string;
  /** The same for copies of each other. */
  readonly copyGroup: number;
}

export interface Candidates {
  readonly asked: AskedQuestion;
  readonly candidates: readonly CandidateOfQuestion[];
}

const NO_COPIES: ReadonlyMap<number, number> = new Map();

/** Ids of copies that an explained hit tells at most. */
const COPIES_TOLD = 100;

/** Time that making hits out of matches may take before others have their turn. */
const LONGEST_TURN_MS = 5;

/** A {@link SkillSearch} over what was opened for it. */
export class OpenedSkillSearch implements SkillSearch {
  readonly problems: SkillSearch['problems'];
  #index: KeywordIndex | undefined;
  readonly #stopWords: StopWords;
  #image: OpenCatalogueImage | undefined;
  readonly #openVectors: () => Promise<VectorSearch>;
  readonly #closing: AbortController;
  #reader: CatalogueReader | undefined;
  #vectors: Promise<VectorSearch> | undefined;
  #scores: Float64Array | undefined;

  constructor({ reader, index, stopWords, image, problems, closing, openVectors, vectors }: SearchParts) {
    this.problems = problems;
    this.#reader = reader;
    this.#index = index;
    this.#stopWords = stopWords;
    this.#image = image;
    this.#closing = closing;
    this.#openVectors = openVectors;
    this.#vectors = vectors;
  }

  keyword(query: KeywordQuery): KeywordResult {
    const reader = this.#opened();
    const { matches, scoreOf, counts, numbers, pagination } = this.#keywordPage(reader, query);
    const answers = answersOf(matches);
    const toHit = (number: number): KeywordHit =>
      toKeywordHit(reader, { number, score: scoreOf(number), copies: counts.get(number) ?? 1 }, answers);
    const hits = reader.reading(() => numbers.map(toHit));
    return { ...(matches.step === undefined ? {} : { step: matches.step }), hits, pagination };
  }

  keywordRecords(query: KeywordQuery): KeywordRecords {
    const reader = this.#opened();
    const { matches, numbers, pagination } = this.#keywordPage(reader, query);
    const records = reader.reading(() => numbers.map((number) => reader.record(number)));
    return { ...(matches.step === undefined ? {} : { step: matches.step }), records, pagination };
  }

  #keywordPage(reader: CatalogueReader, query: KeywordQuery): KeywordPage {
    const index = this.#keywordIndex();
    const resolved = resolveKeywordQuery(query);
    const { page, limit, sortBy } = resolved;
    const question = readQuestion(resolved.q, this.#stopWords);
    const matches = index.match(question, { filter: maskOf(reader.columns, resolved), scored: sortBy === 'relevance' });

    const { columns } = reader;
    const scores = matches.scores === undefined ? undefined : this.#byDocument(matches.documents, matches.scores);
    const { documents: numbers, counts } =
      resolved.copies === 'collapse'
        ? collapseCopies(matches.documents, columns.copyGroup, copyPreference(columns))
        : { documents: matches.documents, counts: NO_COPIES };
    const total = numbers.length;
    const offset = (page - 1) * limit;
    // Documents are numbered by date: in that order they come already, unless copies were left out.
    const shown =
      sortBy === 'recent' && numbers === matches.documents
        ? [...matches.documents.subarray(offset, offset + limit)]
        : topOf(
            scores === undefined ? numbers : bestScored(numbers, scores, offset + limit),
            comparatorOf(sortBy, columns, (number) => scores![number]!),
            offset,
            limit,
          );
    const pagination = { page, limit, total, totalPages: Math.ceil(total / limit) };
    return { matches, scoreOf: (number) => scores?.[number], counts, numbers: shown, pagination };
  }

  /** Scores by document; those of documents without one are left over from before. */
  #byDocument(numbers: Uint32Array, scores: Float64Array): Float64Array {
    this.#scores ??= new Float64Array(this.#opened().columns.size);
    for (let i = 0; i < numbers.length; i++) this.#scores[numbers[i]!] = scores[i]!;
    return this.#scores;
  }

  async semantic(
    query: SemanticQuery,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<SemanticResult> {
    const asking = await this.#ask(query, options.signal);
    const { resolved, question, filter, signal, sources } = asking;
    const { ranking, explain } = resolved;
    const { matches, confident } = await this.#whileOpen(searchByMeaning(sources, resolved, question, filter, signal));
    const reader = this.#opened();
    const asked = askedWords(question);
    const copyIds = explain ? (number: number): string[] => this.#copies(number, COPIES_TOLD) : undefined;
    const hits: SemanticHit[] = [];
    let turn = performance.now();
    for (const match of matches) {
      hits.push(reader.reading(() => toSemanticHit(reader, match, asked, copyIds)));
      if (performance.now() - turn < LONGEST_TURN_MS) continue;
      await new Promise(setImmediate);
      this.#opened();
      signal.throwIfAborted();
      turn = performance.now();
    }
    const { vectors } = sources;
    return { ranking, ...(vectors === undefined ? {} : { model: vectors.model }), confident, hits };
  }

  /**
   * All documents that compete for an answer, by their ids, each with the values that its score is made of: for who fits
   * scores to judged questions.
   *
   * @throws as {@link semantic}
   */
  async candidates(query: SemanticQuery): Promise<Candidates> {
    const { resolved, question, filter, signal, sources } = await this.#ask(query, undefined);
    const { judged, asked } = await this.#whileOpen(judgeCandidates(sources, resolved, question, filter, signal));
    const reader = this.#opened();
    const all = [...judged.values()];
    const ids = reader.reading(() => reader.idsOf(all.map(({ candidate }) => candidate.number)));
    const { copyGroup } = reader.columns;
    const of = (one: Judged, i: number): CandidateOfQuestion => ({
      ...one,
      id: ids[i]!,
      copyGroup: copyGroup[one.candidate.number]!,
    });
    return { asked, candidates: all.map(of) };
  }

  async #ask(query: SemanticQuery, callersSignal: AbortSignal | undefined): Promise<Asking> {
    const { columns } = this.#opened();
    const resolved = resolveSemanticQuery(query);
    const { ranking, q } = resolved;
    const callers = checkSignal(callersSignal);
    callers?.throwIfAborted();
    // A signal of its own: one that many calls share would get many listeners.
    const signal = AbortSignal.any([this.#closing.signal, ...(callers === undefined ? [] : [callers])]);
    const words = ranking === 'vector' ? undefined : this.#keywordIndex();
    const vectors = ranking === 'words' ? undefined : await this.#whileOpen(untilAborted(this.#vectorSearch(), signal));
    const filter = maskOf(columns, resolved);
    const question = readQuestion(q, this.#stopWords);
    return { resolved, question, filter, signal, sources: { columns, words, vectors } };
  }

  async warmUp(): Promise<void> {
    await this.#vectorSearch();
  }

  get(id: string): SkillDetails | undefined {
    return this.#opened().get(id);
  }

  files(id: string): SkillFile[] {
    return this.#opened().files(id);
  }

  filenames(id: string): string[] {
    return this.#opened().filenames(id);
  }

  file(id: string, filename: string): SkillFile | undefined {
    return this.#opened().file(id, filename);
  }

  ids(): string[] {
    return this.#opened().ids();
  }

  copiesOf(id: string): string[] {
    const number = this.#opened().numberOf(id);
    return number === undefined ? [] : this.#copies(number);
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
    const { count, model } = reader.vectors;
    return {
      skills: size,
      files: reader.countFiles(),
      categories: categories.size,
      occupations: occupations.size,
      newest: updatedAt[0] ?? 0,
      vectors: count,
      ...(model === undefined ? {} : { model }),
      stamp: reader.stamp,
    };
  }

  check(): void {
    this.#opened().check();
  }

  async close(): Promise<void> {
    const [reader, vectors, image] = [this.#reader, this.#vectors, this.#image];
    this.#reader = undefined;
    this.#vectors = undefined;
    this.#index = undefined;
    this.#image = undefined;
    this.#scores = undefined;
    this.#closing.abort(closedError());
    // Until it has stopped, what is being opened reads from the file.
    await vectors?.then((opened) => opened.close()).catch(() => {});
    image?.image.close();
    reader?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #copies(number: number, most?: number): string[] {
    const reader = this.#opened();
    const { columns } = reader;
    const copies = allCopiesOf([number], columns.copyGroup).sort(copyPreference(columns));
    return reader.idsOf(copies.slice(0, most));
  }

  #opened(): CatalogueReader {
    if (this.#reader === undefined) throw closedError();
    return this.#reader;
  }

  #keywordIndex(): KeywordIndex {
    if (this.#index !== undefined) return this.#index;
    throw new SkillSearchError('SERVICE_UNAVAILABLE', 'this search was opened without a keyword index');
  }

  #vectorSearch(): Promise<VectorSearch> {
    this.#opened();
    if (this.#vectors === undefined) {
      const opening = this.#whileOpen(this.#openVectors());
      this.#vectors = opening;
      opening.catch(() => {
        if (this.#vectors === opening) this.#vectors = undefined;
      });
    }
    return this.#vectors;
  }

  /** What fails because the search was closed meanwhile fails for that reason. */
  async #whileOpen<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw this.#reader === undefined ? closedError() : error;
    }
  }
}

/** What every call of a search fails with once it was closed. */
export function closedError(): SkillSearchError {
  return new SkillSearchError('SERVICE_UNAVAILABLE', 'this search was closed');
}

/** One byte a document, 1 where it passes the filters; undefined where there are none. */
function maskOf(columns: CatalogueColumns, { category, occupation }: LabelFilters): Uint8Array | undefined {
  const { size, categories, occupations } = columns;
  const lists = [];
  if (category !== undefined) lists.push({ labels: categories, slugs: categoryLabels(categories, category) });
  if (occupation !== undefined) lists.push({ labels: occupations, slugs: occupationLabels(occupations, occupation) });
  return labelMask(size, lists);
}

function countLabels(labels: ReadonlyMap<string, ArrayLike<number>>): LabelCount[] {
  return [...labels]
    .map(([slug, documents]) => ({ slug, count: documents.length }))
    .sort((a, b) => b.count - a.count || (a.slug < b.slug ? -1 : 1));
}
