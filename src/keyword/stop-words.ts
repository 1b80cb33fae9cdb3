/**
 * Words that are required only where a question has nothing else: the usual English list of 33 (Lucene's), and the
 * pronouns, question words and auxiliaries that requests in plain language are full of.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to
  was will with
  about am any can could did do does from had has have he her his how i its just me my our please should so some than
  us want we were what when where which who why would you your`.split(/\s+/),
);
