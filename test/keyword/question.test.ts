import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_QUESTION_WORDS, readQuestion, readStopWords } from '../../src/keyword/question.js';
import { STOP_WORDS } from '../../src/keyword/stop-words.js';

const words = (text: string): string[] => readQuestion(text).words.map((word) => word.terms.join('|'));
const looseWords = (text: string): string[] => readQuestion(text).looseWords.map((word) => word.terms.join('|'));

describe('a question', () => {
  test('asks for all parts of a compound, or for the whole of it', () => {
    expect(words('react-testing')).toEqual(['react|reacttesting', 'testing|reacttesting']);
    expect(words('reactTesting')).toEqual(words('react_testing'));
  });

  test('keeps dotted words and c++ whole', () => {
    expect(words('node.js c++ .net c#')).toEqual(['nodejs', 'c++', '.net', 'c#']);
  });

  test('keeps PascalCase whole at first and takes it apart later', () => {
    expect(words('GitHub Actions')).toEqual(['github', 'actions']);
    expect(looseWords('GitHub Actions')).toEqual(['git|github', 'hub|github', 'actions']);
  });

  test('leaves stop words out, unless there is nothing else or they are quoted or part of a compound', () => {
    expect(words('how to write the tests')).toEqual(['write', 'tests']);
    expect(words('to be or not to be')).toEqual(['to', 'be', 'or', 'not']);
    expect(words('"to do" list')).toEqual(['to', 'do', 'list']);
    expect(words('end-to-end')).toEqual(['end|endtoend', 'to|endtoend']);
  });

  test('leaves out the stop words it is given, case and accents aside, instead of the usual ones', () => {
    const chosen = (text: string, stopWords: readonly string[]): string[] =>
      readQuestion(text, readStopWords(stopWords)).words.map(({ terms }) => terms.join('|'));
    expect(chosen('Bitte die Tests für Résumés', ['DIE', 'fur', 'bitte'])).toEqual(['tests', 'résumés']);
    expect(chosen('RESUMES', ['résumes'])).toEqual(['resumes']);
    expect(chosen("don't the tests", ["don't"])).toEqual(['the', 'tests']);
    expect(chosen('node.js to c#', ['Node.js', 'c#'])).toEqual(['to']);
    expect(chosen('how to write the tests', [])).toEqual(['how', 'to', 'write', 'the', 'tests']);
    expect(chosen('how to write the tests', [...STOP_WORDS, 'write'])).toEqual(['tests']);
  });

  test.each([
    ['the', 'stopWords must be a list of words, got "the"'],
    [7, 'stopWords must be a list of words, got 7'],
    [null, 'stopWords must be a list of words, got null'],
    [['a', 7], 'stopWords must be words, got 7'],
    [['how to'], 'stopWords must be single words, got "how to"'],
    [['e-mail'], 'stopWords must be single words, got "e-mail"'],
    [[''], 'stopWords must be single words, got ""'],
    [['--'], 'stopWords must be single words, got "--"'],
  ])('takes no stop words such as %j', (words, message) => {
    expect(() => readStopWords(words)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION', message }));
  });

  test('asks for a word once however often it is repeated', () => {
    expect(words('test Test TEST tests')).toEqual(['test', 'tests']);
  });

  test('knows the last word even where it came before', () => {
    expect(readQuestion('testing react testing').lastWord?.terms).toEqual(['testing']);
    expect(readQuestion('react for').lastWord?.terms).toEqual(['react']);
  });

  test('asks for the pairs of a text without spaces, and for a single character by itself', () => {
    expect(words('数据分析')).toEqual(['数据', '据分', '分析']);
    expect(words('析')).toEqual(['析']);
    expect(words('用react')).toEqual(['用', 'react']);
  });

  test('counts a word once, and the pairs of a text without spaces together as its words', () => {
    const weights = readQuestion('react 数据分析 数据').looseWords.map(({ terms, weight }) => [terms[0], weight]);
    expect(weights).toEqual([
      ['react', 1],
      ['数据', 1],
      ['据分', 2 / 3],
      ['分析', 2 / 3],
    ]);
  });

  test.each([
    ['straight', '"pull request" review'],
    ['typographic', '“pull request” review'],
    ['German', '„pull request“ review'],
  ])('reads phrases in %s quotation marks', (_, text) => {
    const { phrases } = readQuestion(text);
    expect(phrases.map((phrase) => phrase.tokens.map((token) => token.term))).toEqual([['pull', 'request']]);
  });

  test('quotes nothing with an unbalanced or empty pair of marks', () => {
    expect(readQuestion('5" pipe').phrases).toEqual([]);
    expect(readQuestion('"" pipe').phrases).toEqual([]);
    expect(readQuestion('"a b" "c d').phrases).toHaveLength(1);
  });

  test(`uses at most ${MAX_QUESTION_WORDS} distinct words`, () => {
    const many = Array.from({ length: 100 }, (_, i) => `w${i}`);
    expect(words(many.join(' '))).toEqual(many.slice(0, 64));
    expect(words(`${'same '.repeat(100)} other`)).toEqual(['same', 'other']);
    const chinese = String.fromCodePoint(...Array.from({ length: 200 }, (_, i) => 0x4e00 + i));
    expect(words(chinese)).toHaveLength(64);
  });
});

test('A question of one plain word is read as among others, whatever the word', () => {
  const word = fc.stringMatching(/^[a-z0-9]{1,70}$/);
  const stopWords = fc.constantFrom(undefined, new Set(['the', 'react']));
  fc.assert(
    fc.property(
      fc.oneof(word, fc.constantFrom(...STOP_WORDS, 'react', 'c', '3d', 'para', 'die')),
      stopWords,
      (q, left) => {
        const { text, lastWord, ...question } = readQuestion(q, left);
        // A blank behind the word asks for the same, and is no plain word.
        const { text: _, lastWord: last, ...general } = readQuestion(`${q} `, left);
        expect(text).toBe(q);
        expect(question).toEqual(general);
        expect([lastWord?.terms, lastWord?.weight]).toEqual([last?.terms, last?.weight]);
      },
    ),
  );
});
