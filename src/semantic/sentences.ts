/** The greatest number of sentences that are embedded, so that a long question does not take many times as long. */
const MAX_SENTENCES = 8;

/** A sentence with fewer words asks for nothing by itself: it is a greeting, or says thanks. */
const WORDS_OF_A_SENTENCE = 3;

/** What ends no sentence wherever it stands. */
const WITHIN = String.raw`[\p{L}\p{M}\p{N} ,;:'"()/+#&_-]`;

/** One sentence, with what may end it. */
const ONE = new RegExp(`^${WITHIN}*[.!? ]*$`, 'u');

let segmenter: Intl.Segmenter | undefined;

/**
 * The sentences of a question that has several; empty if it has one. A request often describes two or three tasks, each
 * for another skill: the vector of the whole is near to none of these skills.
 */
export function sentencesOf(question: string): string[] {
  // What Node knows of sentences takes about 25 ms to load, and most questions are one.
  if (ONE.test(question)) return [];
  segmenter ??= new Intl.Segmenter('en', { granularity: 'sentence' });
  const sentences = [...segmenter.segment(question)]
    .map(({ segment }) => segment.trim())
    .filter((sentence) => sentence.split(/\s+/u).length >= WORDS_OF_A_SENTENCE);
  return sentences.length < 2 ? [] : sentences.slice(0, MAX_SENTENCES);
}
