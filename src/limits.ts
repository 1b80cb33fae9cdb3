/**
 * Every bound that a user can meet, with its reason. Nothing here is tuned for speed: figures of algorithms stand beside
 * the algorithms. `test/limits.test.ts` names for each bound the tests at the bound and one beyond it.
 */

// Questions

/** The longest `q` of a keyword search, in characters (code points after trimming). The specification says so. */
export const MAX_KEYWORD_QUERY_LENGTH = 200;

/** The longest `q` of a semantic search, in characters (code points after trimming). Long enough for a task's text. */
export const MAX_SEMANTIC_QUERY_LENGTH = 2000;

/** The greatest `limit` of a semantic search. As many candidates as each side of the ranking looks at. */
export const MAX_SEMANTIC_LIMIT = 100;

/** The greatest `page` of a keyword search. The specification says so. */
export const MAX_PAGE = 50;

/** The greatest `limit` of a keyword search. The specification says so. */
export const MAX_LIMIT = 50;

/** Distinct words of a question that are used. More words find nothing better, and each costs its postings. */
export const MAX_QUESTION_WORDS = 64;

// Rows and files

/** Largest row of a JSON source, in bytes. A larger one is skipped and reported: a row must fit into memory. */
export const MAX_ROW_BYTES: number = 64 * 1024 * 1024;

/** Deepest nesting of a row of a JSON array. `JSON.parse` calls itself for each level. */
export const MAX_JSON_DEPTH = 10_000;

/** Largest text of one file of a skill, in UTF-8 bytes. The rest is cut off: what people read is shorter. */
export const MAX_FILE_BYTES: number = 1024 * 1024;

/** Largest number of files of one skill. Folders with more are archives. */
export const MAX_FILES = 1000;

/** Largest sum of all file texts of one skill, in bytes. A skill is held in memory while it is loaded. */
export const MAX_SKILL_BYTES: number = 16 * 1024 * 1024;

/** Longest name, in code points. Longer names are prose; they would fill a line of results. */
export const MAX_NAME = 200;

/** Longest description, in code points. Four times what agents show of a skill. */
export const MAX_DESCRIPTION = 4000;

/** Longest id, in code points. An id is a part of a path: file systems allow 255 bytes. */
export const MAX_ID = 250;

/** Longest label of a category or occupation, and longest tag, in characters. A longer one is left out: it is no label. */
export const MAX_LABEL = 200;

/** Largest number of categories, of occupations, and of tags of one skill. More describe nothing. */
export const MAX_LABELS = 100;

/** Largest `metadata` of one skill, in bytes of JSON. Each answer for the skill carries it. */
export const MAX_METADATA_BYTES: number = 16 * 1024;

// Git

/** Largest file that is read in a repository (its configuration, a reference), in bytes. Real ones have a page or two. */
export const MAX_GIT_FILE_BYTES: number = 1024 * 1024;

/** Largest list of references or of shallow commits, in bytes. Enough for half a million of them. */
export const MAX_GIT_LIST_BYTES: number = 32 * 1024 * 1024;

/** Files among the objects of a repository. Git packs objects long before there are so many. */
export const MAX_GIT_OBJECT_FILES = 1_000_000;

/** Largest index of a pack, in bytes. Git maps it as a whole, and this is half of the address space that it gets. */
export const MAX_PACK_INDEX_BYTES: number = 512 * 1024 * 1024;

/** Memory that git may fill, in bytes. A log of 100,000 commits takes less than half of it. */
export const GIT_HEAP_BYTES: number = 256 * 1024 * 1024;

/** Address space of git, in bytes: its memory, and the indexes of packs. */
export const GIT_ADDRESS_BYTES: number = 1024 * 1024 * 1024;

/**
 * Commit times that are kept of one repository: bytes of the paths, and 100 for each. Half a million files are more
 * than git log gets through in its time.
 */
export const MAX_COMMIT_TIMES_BYTES: number = 64 * 1024 * 1024;

/** How long git may work on one repository, in seconds. A log of 100,000 commits takes less. */
export const GIT_REPOSITORY_SECONDS = 20;

/** How long git may work on all repositories of one source, in seconds, by default. A usual one takes 0.02. */
export const GIT_SOURCE_SECONDS = 120;

// Server

/** The longest name of an API key, in characters. It is shown in a line of a table. */
export const MAX_KEY_NAME = 100;

/** The longest text of a file that a page shows, in characters. Browsers become slow with more. */
export const MAX_PAGE_TEXT = 100_000;

/** Bounds of a server. Times are in milliseconds. */
interface ServerLimits {
  /** Bytes of the request line and all headers together. */
  readonly headerBytes: number;
  /** From the first byte of a request to the end of its headers. */
  readonly headersTimeout: number;
  /** From the first byte of a request to its last. */
  readonly requestTimeout: number;
  /** How long a connection may be idle between two requests. */
  readonly keepAliveTimeout: number;
  /** How long the sending of an answer may make no progress. */
  readonly idleTimeout: number;
  /** Open connections. */
  readonly connections: number;
  /** Requests of one connection that are answered at a time. Those behind them wait. */
  readonly pipelined: number;
  /**
   * Requests of one connection that may wait behind those: more than fit into the 64 KB that Node reads at once. A
   * connection with more is destroyed.
   */
  readonly waiting: number;
  /** How often the server looks for slow clients. */
  readonly checkingInterval: number;
}

/** The limits of `startServer`. They cannot be changed. */
export const SERVER_LIMITS: ServerLimits = {
  // 2,000 characters of any script are up to 24 KB of a URL.
  headerBytes: 32 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  // Longer than the timeout of common proxies (60 s), so that the proxy closes first. Otherwise a request may arrive
  // while the server closes the connection.
  keepAliveTimeout: 65_000,
  idleTimeout: 60_000,
  connections: 2_000,
  pipelined: 16,
  waiting: 4_000,
  checkingInterval: 1_000,
};
