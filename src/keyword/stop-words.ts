/**
 * The default stop words: the usual English list of 33 words (Lucene's), and the pronouns, question words and
 * auxiliaries that are frequent in requests in plain language. Lower case, without accents.
 */
export const STOP_WORDS: readonly string[] = Object.freeze(
  `a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to
  was will with
  about am any can could did do does from had has have he her his how i its just me my our please should so some than
  us want we were what when where which who why would you your`.split(/\s+/),
);

/** Words that are required only if a question has no others, as terms without accents. */
export type StopWords = ReadonlySet<string>;

export const DEFAULT_STOP_WORDS: StopWords = new Set(STOP_WORDS);
