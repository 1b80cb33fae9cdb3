import { invalidArgument, optionOf, type UsageEntry } from '../core/index.js';
import type { KeywordQuery, ListQuery, ResolvedKeywordQuery, SemanticQuery } from '../query.js';
import type {
  AgentCount,
  AuthorCount,
  CatalogueStats,
  KeywordResult,
  LabelCount,
  ListResult,
  RowProblems,
  SemanticResult,
  SimilarSkill,
  Suggestion,
} from '../result.js';
import type { ModelOptions } from '../semantic/index.js';
import type { Skill, SkillContents, SkillDetails, SkillFile } from '../skill.js';
import type { MemoryCatalogue } from '../store/writing.js';
import type { Decision } from './ranking/decision.js';

/** Options of `semantic`. */
export interface SemanticOptions {
  /** Stops the search. A question that waits for the model is not read any more. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Seconds that the question may wait for questions before it, at most 3600; 0 for no limit. If it would wait longer
   * it fails at once, with `BUSY`; so it does if the model has not answered ten seconds later. For servers: without
   * this, many questions at once wait for each other without end.
   *
   * @default 0
   */
  readonly longestWait?: number | undefined;
  /**
   * Whether what was used for near questions may rise a few places: false where all should get the same answer, as
   * `evaluate` and a server of HTTP do. See {@link SkillSearch.used}.
   *
   * @default true
   */
  readonly usage?: boolean | undefined;
}

/** Options of `used`. */
export interface UsedOptions {
  /** What the skill was used for. Its text is not stored, only its vector. */
  readonly question: string;
  /** The conversation: a skill counts once in each. @default one for the whole process */
  readonly session?: string | undefined;
}

/** Options of `warmUp`. */
export interface WarmUpOptions {
  /**
   * Whether to load the model for other languages as well, if the model's folder has one. Otherwise the first question
   * in such a language loads it, so that a process without such questions never has it in memory.
   *
   * @default false
   */
  readonly otherLanguages?: boolean | undefined;
}

/** Options of `similar`. */
export interface SimilarOptions {
  /** Number of skills, 1 to 100. @default 10 */
  readonly limit?: number | undefined;
}

/** Options of `suggest`. */
export interface SuggestOptions {
  /** Number of suggestions, 1 to 20. @default 8 */
  readonly limit?: number | undefined;
}

/** A catalogue that is open for searching. `openSkillSearch` and `followCatalogue` return one. */
export interface SkillSearch extends AsyncDisposable {
  /**
   * Finds skills by words.
   *
   * @throws {SkillSearchError} `MISSING_QUERY`, `INVALID_QUERY`, `INVALID_PARAMETER`; `SERVICE_UNAVAILABLE` if the
   *   search is closed
   * @example
   * const { hits, pagination } = search.keyword({ q: 'react testing', sortBy: 'stars', limit: 10 });
   * for (const { skill, snippet } of hits) console.log(skill.name, snippet.text);
   */
  keyword(query: KeywordQuery): KeywordResult;
  /**
   * Finds skills by meaning and words. The first call loads the model and the index of vectors, unless {@link warmUp}
   * did. `ranking: 'words'` needs neither.
   *
   * @throws {SkillSearchError} `MISSING_QUERY`, `INVALID_QUERY`, `INVALID_PARAMETER`; `SERVICE_UNAVAILABLE` if the
   *   search is closed; `BUSY` with `retryAfter`, see {@link SemanticOptions.longestWait}; and as {@link warmUp}
   * @throws the signal's reason when aborted
   * @example
   * const { hits, confident } = await search.semantic({ q: 'make a chart from a spreadsheet', limit: 5 });
   * if (!confident) console.log('Nothing here fits well.');
   */
  semantic(query: SemanticQuery, options?: SemanticOptions): Promise<SemanticResult>;
  /**
   * Lists skills without a question, by date or by stars. Every page can be reached, and totals are exact.
   *
   * @throws {SkillSearchError} `INVALID_PARAMETER`; `SERVICE_UNAVAILABLE` if the search is closed
   * @example
   * const { hits, pagination } = search.list({ category: 'testing', sortBy: 'stars', page: 3 });
   */
  list(query?: ListQuery): ListResult;
  /**
   * The skills nearest to a skill by their vectors. Its own copies are left out, and of other copies one is shown.
   * Needs no model; but skills that are held in memory are embedded first. Empty if no skill has this id, or it has no
   * vector.
   *
   * @throws {SkillSearchError} `INVALID_OPTION`, `NO_VECTORS`, `DATABASE_DAMAGED`; for skills in memory as
   *   {@link warmUp}; `SERVICE_UNAVAILABLE` if the search is closed
   */
  similar(id: string, options?: SimilarOptions): Promise<SimilarSkill[]>;
  /**
   * How the question that somebody is typing may go on: the names of skills that begin with it, phrases that several
   * names begin with, and words that its last word begins and skills have together with those before. Empty where
   * nothing does, and for a text that is longer than any question.
   *
   * @throws {SkillSearchError} `INVALID_OPTION`; `SERVICE_UNAVAILABLE` if the search is closed
   * @example
   * search.suggest('git wor', { limit: 5 }).map(({ text }) => text); // ['git workflow', 'git worktrees', …]
   */
  suggest(text: string, options?: SuggestOptions): Suggestion[];
  /**
   * Loads the model and the index of vectors now. Otherwise the first semantic search loads them. Also embeds skills
   * that are held in memory. After a failure the next call tries again; keyword search works without.
   *
   * @throws {SkillSearchError} `INVALID_OPTION`, `NO_VECTORS`, `MODEL_MISMATCH`, `MODEL_NOT_FOUND`,
   *   `MODEL_NOT_READABLE`, `MODEL_RUNTIME_MISSING`, `EMBEDDER_FAILED`; `SERVICE_UNAVAILABLE` if the search is closed
   */
  warmUp(options?: WarmUpOptions): Promise<void>;
  /**
   * Notes that a skill was used: its text was loaded for a question. From then on it rises a few places in the answers
   * of `semantic` to near questions. The note is in a file beside the catalogue; see docs/usage.md. Nothing is noted of
   * skills in memory, of an id that no skill has, and where the option `usage` is false.
   *
   * @throws {SkillSearchError} `INVALID_OPTION`, `SERVICE_UNAVAILABLE` if the search is closed, and as {@link warmUp}
   * @example
   * const { hits } = await search.semantic({ q: 'make a chart from a spreadsheet' });
   * await search.used(hits[0].skill.id, { question: 'make a chart from a spreadsheet' });
   */
  used(id: string, options: UsedOptions): Promise<void>;
  /** The skill with this id, or undefined. */
  get(id: string): SkillDetails | undefined;
  /** The text files of a skill; empty if no skill has this id. */
  files(id: string): SkillFile[];
  /** The names of a skill's files, without reading their texts; empty if no skill has this id. */
  filenames(id: string): string[];
  /** One file of a skill, or undefined. */
  file(id: string, filename: string): SkillFile | undefined;
  /**
   * What a skill is made of: its files as they are, those of skills inside it too, with sizes and digests. Undefined if
   * no skill has this id. A skill of which only excerpts are stored has these, and is not complete.
   */
  contents(id: string): SkillContents | undefined;
  /**
   * The bytes of a file of a skill, compared with its SHA-256. Undefined if there is no such file, or its bytes are not
   * kept. Of a file that is not complete, the excerpt that is kept.
   *
   * @param path as {@link contents} has it
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  read(id: string, path: string): Uint8Array | undefined;
  /**
   * Whether all files of a skill are stored as they were, as `contents(id).complete` says, without reading them. False
   * if there is no such skill.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`, `DATABASE_NOT_READABLE`
   */
  isComplete(id: string): boolean;
  /** The ids of all skills, in code-point order. */
  ids(): string[];
  /**
   * The ids of a skill and its copies: skills with the same name and description, or with nearly the same text. A
   * search prefers them in this order: most stars, then the oldest, then by id. Empty if no skill has this id. The first
   * 500, or another page.
   */
  copiesOf(id: string, page?: number): string[];
  /** Categories with their number of skills, the most frequent first, then by slug: the first 500, or a page. */
  categories(page?: number): LabelCount[];
  /** Occupations with their number of skills, likewise. */
  occupations(page?: number): LabelCount[];
  /** Authors with their number of skills, likewise. Skills without an author do not count. */
  authors(page?: number): AuthorCount[];
  /** How many authors there are on all pages of `authors`. */
  countAuthors(): number;
  /** Agents that skills were read from, with their number of skills, likewise. */
  agents(page?: number): AgentCount[];
  /** Counts and facts about the whole catalogue. */
  stats(): CatalogueStats;
  /**
   * Reads one skill from the catalogue's file. Returns if that works; meant for health checks.
   *
   * @throws {SkillSearchError} `DATABASE_NOT_READABLE`, `NOT_A_CATALOGUE`, `SERVICE_UNAVAILABLE` if closed
   */
  check(): void;
  /**
   * Of `openSkillSearch({ skills })`: rows that could not become a skill, and what was repaired in others. Of an
   * address: why answers from its local copy may be old.
   */
  readonly problems: RowProblems;
  /** Closes the file, the model and the indexes. Later calls fail, except this one. */
  close(): Promise<void>;
}

/** Skills that are held in memory, open for searching and for changes. `openSkillSearch({ skills })` returns one. */
export interface MemorySearch extends SkillSearch {
  /**
   * Adds rows, and replaces those with the same ids. Each is checked like a row of a source. Once the promise resolves,
   * searches find the skills: by meaning, too, if the model is in use; otherwise their vectors are made with the first
   * question. Questions by meaning that are being answered end first. Changes come one after the other.
   *
   * @returns rows that could not become a skill, and what was repaired in others
   * @throws {SkillSearchError} `INVALID_OPTION` if the rows cannot be iterated; `SERVICE_UNAVAILABLE` if the search is
   *   closed
   * @example
   * await search.add([{ name: 'release-notes', description: 'Writes release notes from the git log' }]);
   */
  add(rows: Iterable<unknown> | AsyncIterable<unknown>): Promise<RowProblems>;
  /**
   * Removes skills. Ids that no skill has are ignored.
   *
   * @returns how many were removed
   * @throws {SkillSearchError} `INVALID_OPTION`, `SERVICE_UNAVAILABLE` if the search is closed
   */
  remove(ids: Iterable<string>): Promise<number>;
}

/**
 * Reads rows to the end, and returns what puts them into a catalogue in memory. Rows are read by modules that a search
 * does not know.
 */
export type ReadRows = (
  rows: unknown,
  signal: AbortSignal | undefined,
) => Promise<(memory: MemoryCatalogue) => Promise<RowProblems>>;

/** What other modules of this library ask of a search, beside its public methods. */
export interface CatalogueSearch extends SkillSearch {
  /**
   * As `keyword`, but returns the stored JSON text of each skill, without score, matched terms, snippet, facets,
   * corrected and translated words. Saves a server from parsing and writing the same JSON. A server has resolved the
   * query before it counts the request, so it is not checked once more.
   */
  keywordRecords(query: ResolvedKeywordQuery): KeywordRecords;
  /** As `semantic`, with what is worth showing, and the vector that the question had: undefined for an answer by words. */
  semanticWithVector(query: SemanticQuery, options?: SemanticOptions): Promise<SemanticAnswer>;
  /**
   * The skills that have most of a question's words, each group of duplicates once, in no order.
   *
   * @param limit how many documents are looked at
   * @throws {SkillSearchError} as `semantic`
   */
  wordCandidates(query: SemanticQuery, limit: number): readonly WordCandidate[];
  /** Appends to the log of use of the catalogue, if it has one. */
  noteUsage(entry: Omit<UsageEntry, 'time'>): void;
  /**
   * The ids of skills with complete contents in code-point order, read from the file: those behind an id, or from the
   * first on, at most so many of them.
   */
  completeIds(page: { readonly after?: string | undefined; readonly limit: number }): readonly string[];
  /**
   * Where a skill lies on this machine, however the search was opened. A server may tell it to processes of its own
   * user, and to no others.
   */
  localPathsOf(id: string): Pick<SkillDetails, 'localPath' | 'installations'>;
}

/** The answer of `keywordRecords`. */
export interface KeywordRecords extends Pick<KeywordResult, 'step' | 'truncated' | 'pagination' | 'damaged'> {
  /** JSON texts of the eight fields of the API, in the order of the hits. */
  readonly records: readonly string[];
}

/** The answer of `semanticWithVector`. */
export interface SemanticAnswer {
  readonly result: SemanticResult;
  /** Of the question. */
  readonly vector: Float32Array | undefined;
  readonly decision: Decision;
}

/** A skill that has some word of a question. */
export interface WordCandidate {
  readonly skill: Pick<Skill, 'id' | 'name' | 'description' | 'skillUrl' | 'codehostUrl'>;
  /** Ids of all its duplicates, its own included. */
  readonly copies: () => readonly string[];
}

/**
 * The search with what other modules of this library ask of it.
 *
 * @throws {SkillSearchError} `INVALID_OPTION` for an object that only looks like a search
 */
export function catalogueSearchOf(search: SkillSearch): CatalogueSearch {
  if (typeof (search as Partial<CatalogueSearch> | null)?.keywordRecords === 'function')
    return search as CatalogueSearch;
  throw invalidArgument(optionOf('search'), 'a search that openSkillSearch or followCatalogue opened', search);
}

/** What `openSkillSearch` opens, and how: either `database` or `skills` is required. */
export interface OpenOptions extends ModelOptions {
  /**
   * Path of a catalogue's file, made by `buildCatalogue`; or the http or https address of a manifest that
   * `writeSnapshot` made; or the address of a database of PostgreSQL that a catalogue was loaded into, such as
   * `postgres://user@host/database`. Of an address a local copy is brought up to date, and opened. If what is there is
   * away, a copy that is here is opened as it is.
   */
  readonly database?: string | undefined;
  /**
   * Skills to hold in memory, instead of a file. Each is checked like a row of a source; see `SkillSearch.problems`.
   */
  readonly skills?: Iterable<unknown> | AsyncIterable<unknown> | undefined;
  /**
   * Words that a question may have but a skill need not: they count only in a question that has no other words. Case
   * and accents do not matter. An empty list makes every word count.
   *
   * @default those of the question's language: in English `STOP_WORDS`
   */
  readonly stopWords?: Iterable<string> | undefined;
  /**
   * Whether questions in other languages are read word by word in English, too.
   *
   * @default true
   */
  readonly gloss?: boolean | undefined;
  /**
   * Whether to load the model and the vectors while opening, as `warmUp()` does. If they cannot be loaded, opening
   * fails.
   *
   * @default false
   */
  readonly warmUp?: boolean | undefined;
  /**
   * Whether skills that were loaded from a folder tell its path, as `localPath`, and the paths of their
   * `installations`. A server never sends it.
   *
   * @default false
   */
  readonly localPaths?: boolean | undefined;
  /**
   * Whether to open the graphs of a large catalogue's vectors. `false`: all vectors are scanned, which opens sooner and
   * takes some milliseconds more for each question: for a process that asks one or a few.
   *
   * @default true
   */
  readonly graph?: boolean | undefined;
  /**
   * Whether the model is shared with other processes of this user that also say so: the first that needs it has it in
   * memory, and embeds the questions of all. Ignored with an `embedder`.
   *
   * @default false
   */
  readonly sharedModel?: boolean | undefined;
  /**
   * Whether skills that were used for near questions rise a few places; see {@link SkillSearch.used}. False also where
   * the variable `SKILL_DISCOVERY_NO_USAGE` is set.
   *
   * @default true
   */
  readonly usage?: boolean | undefined;
  /**
   * The folder of the local copy of what an address names. Several processes may share it.
   *
   * @default one in the user's cache folder, named after the address
   */
  readonly cache?: string | undefined;
  /**
   * A file whose first line is the password for the database of a `postgres://` address. It is read for each new
   * connection, so that it can be changed.
   *
   * @default what the address says, else the variable `PGPASSWORD`, else the password file of PostgreSQL
   */
  readonly passwordFile?: string | undefined;
  /** Stops the opening. Has no effect on a search that is open. */
  readonly signal?: AbortSignal | undefined;
}

/** The names of {@link OpenOptions}, for `namesOf`. */
export const OPEN_OPTIONS: Readonly<Record<keyof OpenOptions, true>> = {
  database: true,
  skills: true,
  model: true,
  embedder: true,
  stopWords: true,
  gloss: true,
  warmUp: true,
  localPaths: true,
  graph: true,
  sharedModel: true,
  usage: true,
  cache: true,
  passwordFile: true,
  signal: true,
};
