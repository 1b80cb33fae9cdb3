/** At most so many sentences of a question are read on their own. */
const MAX_SENTENCES = 8;

/** What is shorter asks for nothing by itself: a greeting, a word of thanks. */
const WORDS_OF_A_SENTENCE = 3;

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/**
 * The sentences of a question that asks for more than one thing; none where it is a single one. A request often tells of
 * two or three tasks, each of another skill: the vector of all of it is near to none of them.
 */
export function sentencesOf(question: string): string[] {
  const sentences = [...segmenter.segment(question)]
    .map(({ segment }) => segment.trim())
    .filter((sentence) => sentence.split(/\s+/u).length >= WORDS_OF_A_SENTENCE);
  return sentences.length < 2 ? [] : sentences.slice(0, MAX_SENTENCES);
}
