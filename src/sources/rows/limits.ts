/** Largest row of a JSON source, in bytes. A larger one is skipped and reported. */
export const MAX_ROW_BYTES: number = 64 * 1024 * 1024;

/** Largest text of one file of a skill, in UTF-8 bytes. The rest is cut off. */
export const MAX_FILE_BYTES: number = 1024 * 1024;

/** Largest number of files of one skill. */
export const MAX_FILES: number = 1000;

/** Largest sum of all file texts of one skill, in bytes. */
export const MAX_SKILL_BYTES: number = 16 * 1024 * 1024;

/** Longest name, in code points. */
export const MAX_NAME: number = 200;

/** Longest description, in code points. */
export const MAX_DESCRIPTION: number = 4000;

/** Longest id, in code points. */
export const MAX_ID: number = 250;

/** Longest label of a category or occupation, in characters. A longer one is left out. */
export const MAX_LABEL: number = 200;

/** Largest number of categories, and of occupations, of one skill. */
export const MAX_LABELS: number = 100;

/** Largest `metadata` of one skill, in bytes of JSON. */
export const MAX_METADATA_BYTES: number = 16 * 1024;
