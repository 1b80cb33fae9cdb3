/** Words after which a text says what a skill is not for. */
const NEGATION =
  /\b(?:not|cannot|never|instead|rather than|unlike|avoid|except|skip|exclud\w*|unless|no|nicht|statt|no para|jamais|ne|nunca|não)\b|n['’]t\b|不要|不适用|不適用|不用于|不应|不需要|请勿|勿|禁止|而非|而不是|不是|除外|ない|ではなく|しません|않|아닌|말고|제외/iu;

/** Where a sentence ends. A stop within a word (`e.g`) does not. */
const SENTENCE_END = /[.!?](?=\s)|[。！？；;\n]/gu;

/** Whether the sentence that a character of a text is in denies before that character: "not for …", "instead of …". */
export function isDenied(text: string, at: number): boolean {
  let begin = 0;
  for (const { index } of text.slice(0, at).matchAll(SENTENCE_END)) begin = index + 1;
  return NEGATION.test(text.slice(begin, at));
}
