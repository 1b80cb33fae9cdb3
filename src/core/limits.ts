/**
 * Every bound that a user can meet, with its reason. Nothing here is tuned for speed: figures of algorithms stand
 * beside the algorithms. `test/limits.test.ts` names for each bound the tests at the bound and one beyond it.
 */

// Questions

/** The longest `q` of a keyword search over HTTP, in characters (code points after trimming), by the specification. */
export const MAX_KEYWORD_QUERY_LENGTH = 200;

/**
 * The most characters (code points after trimming) that are read of a question: of a longer one its two ends. Over HTTP
 * a semantic search refuses a longer one. Long enough for a task's text.
 */
export const MAX_SEMANTIC_QUERY_LENGTH = 2000;

/** The greatest `limit` of a semantic search. As many candidates as each side of the ranking looks at. */
export const MAX_SEMANTIC_LIMIT = 100;

/** The greatest `page` of a keyword search. The specification says so. */
export const MAX_PAGE = 50;

/** The greatest `limit` of a keyword search. The specification says so. */
export const MAX_LIMIT = 50;

/**
 * The latest time that a filter may name, in Unix seconds: in the year 5138. Greater numbers are milliseconds, most
 * likely. Later dates count as this one.
 */
export const MAX_FILTER_TIME = 99_999_999_999;

/** Values of a facet that an answer counts: a list that people choose from. The most frequent ones. */
export const MAX_FACET_VALUES = 100;

/** The greatest `limit` of suggestions. More are not read while somebody types. */
export const MAX_SUGGESTIONS = 20;

/**
 * Skills that one small change may bring or remove: more are loaded as a whole, which takes a copy of the catalogue but
 * blocks nothing.
 */
export const MAX_CHANGED_IN_PLACE = 500;

/**
 * Skills, or vectors, that small changes may bring or take before the derived files are written anew. Each of them
 * makes opening a catalogue longer, by some tenths of a millisecond.
 */
export const MAX_UNINDEXED = 1000;

/**
 * Skills that small changes replaced or removed, and that are kept for readers of former states: some tens of
 * megabytes. Beyond, the oldest states can no longer be read.
 */
export const MAX_SUPERSEDED = 5000;

/**
 * Skills that are no longer kept for readers, but whose numbers are, so that derived files of former states stay in
 * use: some megabytes. Beyond, the oldest derived files are of no use.
 */
export const MAX_FORGOTTEN = 100_000;

/**
 * How often a load into a shared catalogue runs, if others change the same skills each time meanwhile. Each time takes
 * as long as reading the sources.
 */
export const MAX_LOADS_AGAIN = 5;

/** Words of the catalogue that an answer says a misspelt word was read as. Whoever asked wants to see the likeliest. */
export const MAX_CORRECTIONS = 5;

/** The greatest `limit` of similar skills: as for a semantic search. */
export const MAX_SIMILAR = 100;

/** Distinct words of a question that are used. More words find nothing better, and each costs its postings. */
export const MAX_QUESTION_WORDS = 64;

/** Longest time that the model reads a question, in milliseconds, beside its wait. Usual are some hundredths. */
export const MAX_READING_TIME = 10_000;

/** The greatest `longestWait`, in seconds. Who would wait longer asks later. */
export const MAX_LONGEST_WAIT = 3600;

/**
 * The most work of one question, in units: the work of reading one posting, some nanoseconds. What is beyond it is left
 * out, and the answer says `truncated`. It takes up to 50 ms, so that no question holds up the others. A question of a
 * few words costs a fiftieth of it.
 */
export const QUESTION_WORK = 4_500_000;

/** The same for each skill of a catalogue of more than 100,000: a word of a larger catalogue has more postings. */
export const QUESTION_WORK_PER_SKILL = 45;

/**
 * The most text of files that the matched terms of one page of a keyword search are looked for in, in characters, and
 * the snippets. Hits share it equally, so what one of them says does not depend on which others were looked at.
 */
export const EXPLAINED_TEXT: number = 1024 * 1024;

// Rows and files

/**
 * Largest row of a JSON source, in bytes. A larger one is skipped and reported: while it is read, a row takes up to
 * five times its size of memory. Twice what a skill of a folder may have.
 */
export const MAX_ROW_BYTES: number = 32 * 1024 * 1024;

/**
 * Values in a row of a JSON source: commas, colons and opening brackets. A row with more is rejected before it is
 * parsed. A skill with a thousand files has some 5,000; parsed, a byte of brackets takes up to 40 bytes.
 */
export const MAX_ROW_VALUES = 100_000;

/** Deepest nesting of a row of a JSON array. `JSON.parse` calls itself for each level. */
export const MAX_JSON_DEPTH = 10_000;

/** Largest text of one file of a skill, in UTF-8 bytes. The rest is cut off: what people read is shorter. */
export const MAX_FILE_BYTES: number = 1024 * 1024;

/** Largest number of files of one skill. Folders with more are archives. */
export const MAX_FILES = 1000;

/** Largest sum of all file texts of one skill, in bytes. A skill is held in memory while it is loaded. */
export const MAX_SKILL_BYTES: number = 16 * 1024 * 1024;

/** Files in the folder of a skill that are looked at, whatever they are: each is opened to see whether it is a text. */
export const MAX_SKILL_ENTRIES = 10_000;

/** Files of one skill whose bytes are kept. What takes skills over MCP takes no more. */
export const MAX_CONTENT_FILES = 512;

/** Bytes of one skill that are kept, as they are before they are packed. What takes skills over MCP takes no more. */
export const MAX_CONTENT_BYTES: number = 16 * 1024 * 1024;

/** Longest name, in code points. Longer names are prose; they would fill a line of results. */
export const MAX_NAME = 200;

/** Longest description, in code points. Four times what agents show of a skill. */
export const MAX_DESCRIPTION = 4000;

/** Longest id, in code points. An id is a part of a path: file systems allow 255 bytes. */
export const MAX_ID = 250;

/** Longest label of a category or occupation, and longest tag, in characters. A longer one is left out: it is prose. */
export const MAX_LABEL = 200;

/** Largest number of categories, of occupations, and of tags of one skill. More describe nothing. */
export const MAX_LABELS = 64;

/**
 * Distinct categories of a catalogue that filters and counts know; likewise of occupations, of licenses, and of agents
 * with a scope: those of the most skills. Nobody chooses from more, and each count looks through them.
 */
export const MAX_DISTINCT_LABELS = 20_000;

/** Categories, occupations, authors, agents, and copies of a skill that are listed at once: on a page of all. */
export const MAX_LISTED = 500;

/** Longest name of an agent, in characters. It is a slug, and stands in an address. */
export const MAX_AGENT = 64;

/** Largest number of installations of one skill. There are some seventy agents, and each has a few scopes. */
export const MAX_INSTALLATIONS = 256;

/** Longest `place` of a row, in characters. A longer one is ignored. No file system has paths as long. */
export const MAX_LOCATION = 4096;

/** Largest `metadata` of one skill, in bytes of JSON. Each answer for the skill carries it. */
export const MAX_METADATA_BYTES: number = 16 * 1024;

/** Largest front matter that is kept of one skill, in bytes of JSON. What search uses is read from larger ones, too. */
export const MAX_FRONT_MATTER_BYTES: number = 64 * 1024;

/** Longest front matter that is read as YAML, in characters. A longer one is read key by key: none is so long. */
export const MAX_YAML_LENGTH: number = 32 * 1024;

/** Tokens of front matter that are read as YAML. Real ones have up to some hundred, and a token may take 30 µs. */
export const MAX_YAML_TOKENS = 4000;

/** Lists and maps inside each other, in a line or in brackets, that are read as YAML: the parser goes into each. */
export const MAX_YAML_DEPTH: number = 64;

// Installed skills

/** Folders above the working folder, itself included, that are looked at for a project: no repository is so deep. */
export const MAX_PROJECT_LEVELS = 64;

/** Largest file of an agent that says which plugins there are, in bytes. A marketplace of thousands has one. */
export const MAX_PLUGIN_LIST_BYTES: number = 4 * 1024 * 1024;

/** Plugins that are looked at, and folders with skills that a plugin names. Each may cost some files. */
export const MAX_PLUGINS = 1000;

/** Folders below one folder of an agent that are entered. A thousand skills have some five thousand. */
export const MAX_INSTALLED_FOLDERS = 50_000;

// Sources

/**
 * Bytes that a file or standard input may have, after unpacking, by default. A hundred times the largest catalogue
 * known. More is a mistake or an attack: a stream without end, or a sparse file.
 */
export const MAX_UNPACKED_BYTES: number = 32 * 1024 ** 3;

/**
 * How many times its compressed size a gzip source may have, by default. Catalogues have 3 to 5, those of one template
 * up to 30; gzip reaches 1,000.
 */
export const MAX_RATIO = 100;

/** Unpacked bytes from which on the ratio counts: a small source cannot do harm, and may repeat itself. */
export const FREE_UNPACKED_BYTES: number = 16 * 1024 * 1024;

/**
 * Parts of a JSON source that are not JSON. With more the rest is not read: it is a file of another kind, and each of
 * its lines would take the time of a row.
 */
export const MAX_UNREADABLE_ROWS = 100_000;

/** Rejected rows, and warnings, that a report lists, by default. The others are counted: a list takes memory. */
export const MAX_LISTED_PROBLEMS = 10_000;

/** Rows that did not become a skill whose stored skills are kept by name. With more, nothing at all is pruned. */
export const MAX_SPARED = 100_000;

/** Problems of a walk through a folder that are told one by one: links that lead out, folders that cannot be read. */
export const MAX_WALK_PROBLEMS = 1000;

// Watching

/**
 * Events of a source that are gathered one by one. With more, as when another branch is checked out, all of it is read:
 * Linux keeps 16,384 events and drops what is beyond them without a word.
 */
export const MAX_GATHERED_EVENTS = 10_000;

/** The longest `quiet` and `longestWait` of a watch, in milliseconds. Who would wait longer loads now and then. */
export const MAX_WATCH_WAIT = 60_000;

/** The shortest and the longest `pollInterval` of a watch, in milliseconds. */
export const MIN_POLL_INTERVAL = 50;
export const MAX_POLL_INTERVAL = 3_600_000;

// Git

/** Largest file that is read in a repository (its configuration, a reference), in bytes. Real ones have a page. */
export const MAX_GIT_FILE_BYTES: number = 1024 * 1024;

/** Largest list of references or of shallow commits, in bytes. Enough for half a million of them. */
export const MAX_GIT_LIST_BYTES: number = 32 * 1024 * 1024;

/** Files among the objects of a repository. Git packs objects long before there are so many. */
export const MAX_GIT_OBJECT_FILES = 1_000_000;

/** Largest index of a pack, in bytes. Git maps it as a whole, and this is half of the address space that it gets. */
export const MAX_PACK_INDEX_BYTES: number = 512 * 1024 * 1024;

/** Memory that git may fill, in bytes. A log of 100,000 commits takes less than half of it. */
export const GIT_HEAP_BYTES: number = 128 * 1024 * 1024;

/** Address space of git, in bytes: its memory, and the indexes of packs. */
export const GIT_ADDRESS_BYTES: number = 1024 * 1024 * 1024;

/**
 * Commit times that are kept of one repository: bytes of the paths, and 100 for each. Half a million files are more
 * than git log gets through in its time.
 */
export const MAX_COMMIT_TIMES_BYTES: number = 64 * 1024 * 1024;

/** How long git may work on one repository, in seconds. A log of 50,000 commits takes about half of it. */
export const GIT_REPOSITORY_SECONDS = 20;

/** How long git may work on all repositories of one source, in seconds, by default. A usual one takes 0.02. */
export const GIT_SOURCE_SECONDS = 120;

// Models

/** Fewest values of a vector of a model's folder. Fewer tell skills apart too badly. */
export const MIN_MODEL_DIMENSIONS = 64;

/** Most values of a vector of a model's folder. Models with more take seconds for a question without an accelerator. */
export const MAX_MODEL_DIMENSIONS = 1024;

/** Most tokens of a text that a model's folder may ask for. The longest description has about half as many. */
export const MAX_MODEL_TOKENS = 8192;

/** Longest prefix before questions or texts, in UTF-16 units. Each text is read with it. */
export const MAX_PREFIX_LENGTH = 1000;

/** Ids in `compatible.json` of a model's folder. A model has a few former versions. */
export const MAX_COMPATIBLE_MODELS = 100;

// Embedders over services

// Installing and publishing

/** Skills that one call of `installSkills` takes. They are written before any of them is put in its place. */
export const MAX_INSTALLED_AT_ONCE = 1000;

/** Largest lock file that is read, in bytes. A project brings its own. */
export const MAX_LOCK_FILE_BYTES: number = 16 * 1024 * 1024;

/** Entries of a lock file. Each may be looked for in the catalogue, and in the folders of every agent. */
export const MAX_LOCK_ENTRIES = 10_000;

/**
 * Skills that a server publishes. `npx skills add` fetches every one of an index before it asks which are wanted, so an
 * index of a whole catalogue would be of no use.
 */
export const MAX_PUBLISHED_SKILLS = 1000;

// Server

/** The longest name of an API key, in characters. It is shown in a line of a table. */
export const MAX_KEY_NAME = 100;

/**
 * The longest part of a file's text that a page shows at once, in UTF-16 units. A page of it has up to 100 KB, and
 * Markdown takes some tens of milliseconds. One text of a thousand is longer.
 */
export const MAX_PAGE_TEXT = 50_000;

/** Lines of a file's text that a page shows at once. Each is an element of its own. */
export const MAX_PAGE_LINES = 2000;

/**
 * The most work for one Markdown text of a page, in units of about 50 ns. The longest text that a page shows takes up
 * to three quarters of it, if somebody wrote it for people. Beyond, the text is shown as it is written.
 */
export const MAX_MARKDOWN_WORK = 1_000_000;

/** Quotes, lists and emphasis inside each other in a Markdown text of a page. The parser goes into each. */
export const MAX_MARKDOWN_DEPTH = 40;

/**
 * The longest HTML of a Markdown text of a page, in UTF-16 units. Texts for people become twice as long; a reference
 * that is used a thousand times makes a long text of a short one.
 */
export const MAX_MARKDOWN_HTML = 500_000;

/** The longest value of a front matter that a page shows, in UTF-16 units. It can have 64 KB. */
export const MAX_PAGE_VALUE = 1000;

/** Parameters in the address of a page that are read, the first ones. A form has fourteen. */
export const MAX_PAGE_PARAMETERS = 100;

/** The names of a skill's files that its page lists. A skill may have a thousand. */
export const MAX_PAGE_FILES = 100;

/**
 * Addresses whose requests are counted in memory, such as those for pages. With more, the count that began first is
 * forgotten. Each takes some hundred bytes.
 */
export const MAX_COUNTED_ADDRESSES = 10_000;

// Setting up a machine

/**
 * The largest configuration of an agent that `init` edits, in bytes. It is held in memory a few times. Some agents keep
 * their history in it; those have some megabytes.
 */
export const MAX_CONFIG_BYTES: number = 64 * 1024 * 1024;

// MCP

/** Longest text of a file in one answer of a tool, in bytes. Some 15,000 tokens; hosts cut off at 25,000. */
export const MAX_TOOL_TEXT = 60_000;

/**
 * Largest file that `resources/read` gives at once, in bytes, and largest part of a larger one: encoding it keeps others
 * waiting for some milliseconds. Hosts read a SKILL.md at once, so a larger one is not published.
 */
export const MAX_RESOURCE_BYTES: number = 1024 * 1024;

/** Fewest and most tokens that an answer may be asked to fit. */
export const MIN_TOOL_TOKENS = 100;
export const MAX_TOOL_TOKENS = 100_000;

/** Skills that are found but not published, and named in the log. The log is for people. */
export const MAX_LOGGED_UNPUBLISHED = 100;

/** Bounds of MCP on standard input and output. */
interface StdioLimits {
  /** Longest message, in bytes. Nothing that a tool takes is longer than some kilobytes. */
  readonly messageBytes: number;
  /** Requests that are worked on at a time, and answers that wait for a reader. Those behind them wait in the pipe. */
  readonly pending: number;
  /** Bytes of messages that are worked on at a time. */
  readonly pendingBytes: number;
  /** Milliseconds that requests still have to be answered after standard input has ended. */
  readonly drainTime: number;
}

/** The limits of `mcp`. They cannot be changed. */
export const STDIO_LIMITS: StdioLimits = {
  messageBytes: 16 * 1024 * 1024,
  pending: 16,
  pendingBytes: 32 * 1024 * 1024,
  drainTime: 10_000,
};

/** Bounds of MCP over HTTP, beside those of the server. */
interface McpHttpLimits {
  /** Largest body, in bytes. Nothing that a tool takes is longer than some kilobytes. */
  readonly bodyBytes: number;
  /** Bytes of a body that are read and thrown away, so that its sender reads why it is refused. */
  readonly skippedBytes: number;
  /** What a byte of a body counts for until it is answered: about what it becomes when it is parsed. */
  readonly bytesPerByte: number;
  /** What a request counts for until it is answered, beside its body: about what the SDK makes for it. */
  readonly exchangeBytes: number;
  /** Messages of a batch. */
  readonly batch: number;
  /** Bytes of all answers to a batch. They are held until the last is there. */
  readonly batchBytes: number;
  /** Open streams of notifications. Half of the connections that there may be. */
  readonly streams: number;
  /** Open streams of one client. An agent has one for each of its windows. */
  readonly streamsPerClient: number;
  /** Milliseconds between two signs of life on a stream: proxies close what is silent for a minute. */
  readonly keepAlive: number;
  /** Milliseconds between two looks at the catalogue while a stream is open. */
  readonly lookInterval: number;
}

/** The limits of `/mcp`. They cannot be changed. */
export const MCP_HTTP_LIMITS: McpHttpLimits = {
  bodyBytes: 64 * 1024,
  skippedBytes: 32 * 1024 * 1024,
  bytesPerByte: 8,
  exchangeBytes: 32 * 1024,
  batch: 16,
  batchBytes: 8 * 1024 * 1024,
  streams: 1000,
  streamsPerClient: 32,
  keepAlive: 15_000,
  lookInterval: 500,
};

/** Words whose size in tokens is kept. A catalogue of 100,000 skills has some hundred thousand; most are rare. */
export const TOKEN_CACHE_WORDS = 20_000;

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
  /** Open connections. Beyond, one that is idle makes room for a new one; if none is, the new one is closed. */
  readonly connections: number;
  /**
   * Bytes that the server holds for all clients together: answers that are not sent yet, and {@link requestBytes} for
   * each request that is not answered. Beyond, the connection with most of them is closed.
   */
  readonly heldBytes: number;
  /** What a request counts for until it is answered: about what its objects take. */
  readonly requestBytes: number;
  /** Requests of one connection that are answered at a time. Those behind them wait. */
  readonly pipelined: number;
  /**
   * Requests of one connection that may wait behind those. Node reads up to 64 KB at once, which may be thousands. The
   * one beyond is refused, and closes the connection.
   */
  readonly waiting: number;
  /** Requests of one connection, after which it is closed: nobody has one for ever. */
  readonly requests: number;
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
  heldBytes: 64 * 1024 * 1024,
  requestBytes: 4 * 1024,
  pipelined: 16,
  waiting: 100,
  requests: 10_000,
  checkingInterval: 1_000,
};

/** Bounds of the local socket. Times are in milliseconds. */
interface LocalLimits {
  /** Longest line, in bytes: a prompt that was cut, or a page of skills with their descriptions. */
  readonly messageBytes: number;
  /** Open connections. Each asks once; a person has a few agents. */
  readonly connections: number;
  /** How long connecting may take. A process that listens accepts at once, unless it is busy. */
  readonly connectTime: number;
  /** How long the line of a question may be under way. It is sent in one piece. */
  readonly requestTime: number;
}

/** The limits of the socket by which processes of one user ask each other. They cannot be changed. */
export const LOCAL_LIMITS: LocalLimits = {
  messageBytes: 256 * 1024,
  connections: 32,
  connectTime: 100,
  requestTime: 2000,
};

/** Bounds of `hook`. */
interface HookLimits {
  /** Bytes of standard input. A prompt with a pasted file fits; what is longer has no question at its beginning. */
  readonly inputBytes: number;
  /** Characters of a prompt that are looked at, in UTF-16 units. Who writes more has pasted something. */
  readonly promptLength: number;
  /** Most skills that may be asked for. An agent that looks for more calls a search. */
  readonly skills: number;
  /** Most tokens that may be asked for. */
  readonly tokens: number;
  /** Characters of the text that a host gets: more than 10,000 are cut by some hosts, or kept out of the prompt. */
  readonly contextLength: number;
  /** Longest time limit that may be asked for, in milliseconds. Hosts wait for a minute at most. */
  readonly time: number;
  /** Bytes of the log. A full one becomes `hook.log.1`, in place of the one before it. */
  readonly logBytes: number;
}

/** The limits of `hook`. They cannot be changed. */
export const HOOK_LIMITS: HookLimits = {
  inputBytes: 4 * 1024 * 1024,
  promptLength: 20_000,
  skills: 20,
  tokens: 4000,
  contextLength: 10_000,
  time: 60_000,
  logBytes: 256 * 1024,
};

// Snapshots

/**
 * Largest manifest of a snapshot, in bytes: that of as many chunks as a snapshot may have. That of 94,254 skills with
 * vectors has 50 kB. Reading the largest keeps others waiting for some hundredths of a second.
 */
export const MAX_MANIFEST_BYTES: number = 5 * 1024 * 1024;

/** Largest chunk of a snapshot, in bytes. Some of them are held in memory at a time. */
export const MAX_CHUNK_BYTES: number = 16 * 1024 * 1024;

/**
 * Bytes of all files of a snapshot together: some sixty times those of 94,254 skills with vectors. They are added up
 * before the first chunk is fetched.
 */
export const MAX_SNAPSHOT_BYTES: number = 64 * 1024 ** 3;

/**
 * Bytes of a snapshot that may repeat chunks, beyond those that its different chunks have: else a server that sends
 * little could fill a disk.
 */
export const MAX_REPEATED_BYTES: number = 64 * 1024 * 1024;

/**
 * Milliseconds that SQLite may look through the pages of a snapshot that was fetched, in a process of its own, which is
 * ended then. A gigabyte takes some seconds.
 */
export const MAX_SNAPSHOT_CHECK_TIME = 120_000;

/** The same of any file, with its indexes, when somebody asks for a check. */
export const MAX_FILE_CHECK_TIME = 600_000;

/** Bounds of how fast the server of a snapshot must answer. */
interface SnapshotRateLimits {
  /**
   * Milliseconds after which it is looked how much of an answer came. A server that says nothing is asked twice for a
   * chunk: whoever waits is told within a minute.
   */
  readonly time: number;
  /**
   * Bytes of an answer that must come in that time. Six chunks come at a time: a line of 16 KB a second is fast enough.
   */
  readonly bytes: number;
}

/** The least rate of an answer that has not ended. It cannot be changed. */
export const SNAPSHOT_RATE_LIMITS: SnapshotRateLimits = { time: 15_000, bytes: 32 * 1024 };

/** Bounds of what is kept in PostgreSQL. Times are in milliseconds. */
interface PostgresLimits {
  /**
   * Connections of one process, where nobody said otherwise: counting needs few, since requests are counted together.
   */
  readonly usualConnections: number;
  /**
   * Most connections that may be asked for. A database has a hundred for all who use it, unless it is set up for more.
   */
  readonly connections: number;
  /**
   * How long connecting may take, and how long work of several statements waits for a connection. Whoever asked for one
   * statement has given up by then: the connection is for those who come later, on a machine that has too much to do.
   */
  readonly connectTime: number;
  /** For one statement of a request, with the wait for a connection: whoever asked is told within 2 seconds. */
  readonly requestTime: number;
  /** From a statement to its answer. A connection on which none comes is given up. */
  readonly answerTime: number;
  /** What one statement may take in the database. Shorter, so that a database that is only slow can say so. */
  readonly statementTime: number;
  /** How long opening may take: whoever gave a wrong address wants to know soon. */
  readonly openingTime: number;
  /** How long making or changing tables may take, with the wait for another server that does so. */
  readonly preparingTime: number;
  /** After which a connection that nobody uses is closed. */
  readonly idleTime: number;
  /** Between two looks for a database that does not answer. */
  readonly lookInterval: number;
  /** Statements that may wait for a connection: as many as a server has clients. Beyond, they are refused. */
  readonly waiting: number;
  /** Clients whose requests are counted by one statement. */
  readonly countedTogether: number;
}

/** The limits of what is kept in PostgreSQL. They cannot be changed. */
export const POSTGRES_LIMITS: PostgresLimits = {
  usualConnections: 4,
  connections: 100,
  connectTime: 5000,
  requestTime: 1900,
  answerTime: 1050,
  statementTime: 900,
  openingTime: 3000,
  preparingTime: 60_000,
  idleTime: 60_000,
  lookInterval: 250,
  waiting: 2000,
  countedTogether: 128,
};

/** Bounds of a catalogue in PostgreSQL. Times are in milliseconds. */
interface SharedCatalogueLimits {
  /** What one statement of a load or of a copy may take: each handles some thousand skills at most. */
  readonly statementTime: number;
  /**
   * Between two statements of a load that publishes, after which the database ends it: a machine that went away must
   * not keep others from publishing. Some thousand skills are read and compressed meanwhile.
   */
  readonly publishingPause: number;
  /** Likewise of a copy that reads. It keeps nobody waiting, but the database cannot clean up what it may still see. */
  readonly readingPause: number;
  /** How long a load waits for others to have published. A first load of 94,254 skills takes a minute. */
  readonly publishingWait: number;
  /** How long it waits at a time: so soon it notices that it was aborted. */
  readonly lockTime: number;
  /** Skills that are published together. */
  readonly publishedTogether: number;
  /**
   * Bytes of texts and files of skills that are read, sent or stored together: a slow line must bring them within the
   * time of a statement. One skill alone may have twice as many.
   */
  readonly bytesTogether: number;
  /** Ids of removed skills that are remembered. A copy of a version before them is made anew. */
  readonly removed: number;
  /** Versions that are remembered, likewise. */
  readonly versions: number;
  /** Days for which vectors and bytes are kept that no skill has: a load that was stopped is soon started again. */
  readonly unusedDays: number;
  /** Hours between two removals of what is older. */
  readonly cleaningHours: number;
}

/** The limits of a catalogue in PostgreSQL. They cannot be changed. */
export const SHARED_CATALOGUE_LIMITS: SharedCatalogueLimits = {
  statementTime: 60_000,
  publishingPause: 60_000,
  readingPause: 600_000,
  publishingWait: 600_000,
  lockTime: 500,
  publishedTogether: 1000,
  bytesTogether: 16 * 1024 * 1024,
  removed: 200_000,
  versions: 10_000,
  unusedDays: 7,
  cleaningHours: 24,
};
