/** Bounds that several modules hold, with the reason for each. A bound of one module stands in the file that holds it. */

/** The longest `q` of a keyword search over HTTP, in characters (code points after trimming), by the specification. */
export const MAX_KEYWORD_QUERY_LENGTH = 200;

/**
 * The most characters (code points after trimming) that are read of a question: of a longer one its request. Over HTTP
 * a semantic search refuses a longer one. Long enough for a task's text.
 */
export const MAX_SEMANTIC_QUERY_LENGTH = 2000;

/** The greatest `limit` of a semantic search. As many candidates as each side of the ranking looks at. */
export const MAX_SEMANTIC_LIMIT = 100;

/** The greatest `page` of a keyword search. The specification says so. */
export const MAX_PAGE = 50;

/** The greatest `limit` of a keyword search. The specification says so. */
export const MAX_LIMIT = 50;

/** Likewise over HTTP for clients of the public service: some end at a page that is shorter than they asked for. */
export const MAX_COMPATIBLE_LIMIT = 100;

/**
 * The latest time that a filter may name, in Unix seconds: in the year 5138. Greater numbers are milliseconds, most
 * likely. Later dates count as this one.
 */
export const MAX_FILTER_TIME = 99_999_999_999;

/**
 * Skills that one small change may bring or remove: more are loaded as a whole, which takes a copy of the catalogue but
 * blocks nothing.
 */
export const MAX_CHANGED_IN_PLACE = 500;

/** The greatest `longestWait`, in seconds. Who would wait longer asks later. */
export const MAX_LONGEST_WAIT = 3600;

/** Largest text of one file of a skill, in UTF-8 bytes. The rest is cut off: what people read is shorter. */
export const MAX_FILE_BYTES: number = 1024 * 1024;

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

/** Categories, occupations, authors, agents, and copies of a skill that are listed at once: on a page of all. */
export const MAX_LISTED = 500;
