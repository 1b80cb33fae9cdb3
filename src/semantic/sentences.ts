/** The greatest number of sentences that are embedded, so that a long question does not take many times as long. */
const MAX_SENTENCES = 8;

/** A sentence with fewer words asks for nothing by itself: it is a greeting, or says thanks. */
const WORDS_OF_A_SENTENCE = 3;

/** Made when first needed. What it reads takes 10 to 30 ms to load, once for all threads of a process. */
let segmenter: Intl.Segmenter | undefined;

/** What ends no sentence wherever it stands. */
const WITHIN = String.raw`[\p{L}\p{M}\p{N} ,;:'"()/+#&_-]`;

/** One sentence, with what may end it: most questions. Read at the start, so it knows of few characters. */
const ONE = new RegExp(`^${WITHIN}*[.!? ]*$`, 'u');

/** A text without any of these is one sentence (Unicode Standard Annex 29: `STerm`, `ATerm`, `Sep`, `CR`, `LF`). */
const MAY_END_A_SENTENCE = /[\p{Sentence_Terminal}\u2024\ufe52\uff0e\n\r\u0085\u2028\u2029]/u;

/** Loads what sentences are told apart with. A thread that does so spares the others of its process the wait. */
export function prepareSentences(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'sentence' });
  return segmenter;
}

/**
 * The sentences of a question that has several; empty if it has one. A request often describes two or three tasks, each
 * for another skill: the vector of the whole is near to none of these skills.
 */
export function sentencesOf(question: string): string[] {
  if (ONE.test(question) || !MAY_END_A_SENTENCE.test(question)) return [];
  const sentences = [...prepareSentences().segment(question)]
    .map(({ segment }) => segment.trim())
    .filter((sentence) => sentence.split(/\s+/u).length >= WORDS_OF_A_SENTENCE);
  return sentences.length < 2 ? [] : sentences.slice(0, MAX_SENTENCES);
}
