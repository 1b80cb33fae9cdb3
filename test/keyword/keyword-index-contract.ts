import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type DocumentSource,
  type KeywordDocument,
  type KeywordIndex,
  type KeywordMatches,
  readQuestion,
} from '../../src/keyword/index.js';
import { describeAnyWordRanking } from './any-word-ranking-contract.js';
import { catalogue, picks, questionFor, scoresOf, sourceOf } from './arbitrary-catalogue.js';
import { documentOf } from './build-indexes.js';
import { beginsWith, isNamed, NaiveKeywordSearch } from './naive-keyword-search.js';

/** What every implementation of {@link KeywordIndex} must do. */
export function describeKeywordIndex(name: string, build: (documents: DocumentSource) => Promise<KeywordIndex>): void {
  describeAnyWordRanking(name, build);
  describe(`${name} keeps the contract of a keyword index`, () => {
    async function find(
      q: string,
      documents: readonly Partial<KeywordDocument>[],
    ): Promise<[string | undefined, number[]]> {
      const index = await build(sourceOf(documents.map(documentOf)));
      const { step, documents: numbers } = index.match(readQuestion(q));
      return [step, [...numbers]];
    }

    async function ranked(q: string, documents: readonly Partial<KeywordDocument>[]): Promise<number[]> {
      const index = await build(sourceOf(documents.map(documentOf)));
      const matches = index.match(readQuestion(q), { scored: true });
      const [numbers, scores] = [matches.documents, scoresOf(matches)];
      return [...numbers.keys()]
        .sort((a, b) => (scores?.[b] ?? 0) - (scores?.[a] ?? 0))
        .map((i) => numbers[i] as number);
    }

    test('answers with every word in name, author, labels or description first', async () => {
      const documents = [
        { name: 'react-tests', description: 'for the browser' },
        { name: 'react', files: [{ filename: 'SKILL.md', text: 'tests' }] },
        { name: 'x', author: 'react', labels: ['testing'] },
      ];
      expect(await find('react testing', documents)).toEqual(['all-words', [0, 2]]);
    });

    test('answers with the text of the files where the first step finds nothing', async () => {
      const documents = [{ name: 'react', files: [{ filename: 'a.md', text: 'snapshot' }] }, { name: 'react' }];
      expect(await find('react snapshots', documents)).toEqual(['file-text', [0]]);
    });

    test('takes the last word, from three letters on, as the beginning of a word', async () => {
      const documents = [{ name: 'kubernetes deploy' }, { name: 'kubernetes backup' }];
      expect(await find('deploy kub', documents)).toEqual(['prefix', [0]]);
      expect((await find('deploy ku', documents))[0]).not.toBe('prefix');
      expect((await find('kub deploy', documents))[0]).not.toBe('prefix');
    });

    test('replaces words that occur nowhere by words one edit away, two from eight letters on', async () => {
      const documents = [{ name: 'react' }, { name: 'kubernetes' }, { name: 'rust' }];
      expect(await find('raect', documents)).toEqual(['typo', [0]]);
      expect(await find('recat', documents)).toEqual(['typo', [0]]);
      expect(await find('rrreact', documents)).toEqual([undefined, []]);
      expect(await find('kuberntse', documents)).toEqual(['typo', [1]]);
    });

    test('answers with at least half of the weight of the words that occur as the last resort', async () => {
      const documents = [
        { name: 'common rare' },
        { name: 'common other' },
        { name: 'common unlike' },
        { name: 'unusual common' },
      ];
      expect(await find('common rare nonexistentword', documents)).toEqual(['some-words', [0]]);
    });

    test('reads a question in English before it makes do with some of the words, and leaves prefixes and slips out', async () => {
      const documents = [
        { name: '翻译 python' },
        { name: 'translator', description: 'translates python notes' },
        { name: 'translate', files: [{ filename: 'a.md', text: 'a document in rust' }] },
      ];
      const index = await build(sourceOf(documents.map(documentOf)));
      const found = (q: string, english: string): [string | undefined, number[], string[]] => {
        const { step, documents, words } = index.match(readQuestion(q), { inEnglish: () => readQuestion(english) });
        return [step, [...documents], words.map(({ terms }) => terms[0]!)];
      };
      expect(found('翻译', 'translate')).toEqual(['all-words', [0], ['翻译']]);
      expect(found('翻译 笔记', 'translate notes')).toEqual(['translated', [1], ['translate', 'notes']]);
      expect(found('翻译 文档', 'translate documents')).toEqual(['translated', [2], ['translate', 'documents']]);
      expect(found('爬取 文档', 'crawl rust')).toEqual(['translated', [2], ['rust']]);
      expect(found('文档', 'docu')).toEqual([undefined, [], []]);
      expect(found('文档', 'documnets')).toEqual([undefined, [], []]);
      // Nothing is read that the question does not have.
      expect(found('python 爬取', 'python crawl')).toEqual(['some-words', [0, 1], ['python']]);
      expect(found('python 爬取', 'python')).toEqual(['some-words', [0, 1], ['python']]);
    });

    test('asks for half of the words of a text without spaces, not of its pairs of characters', async () => {
      const documents = [{ name: '转换 格式' }, { name: '换文' }, { name: '档格' }, { name: '文档' }];
      // Two of three words, but two of five pairs: 换文 and 档格 stand across words.
      expect(await find('转换文档格式', documents)).toEqual(['some-words', [0]]);
    });

    test('requires quoted words to stand together in every step', async () => {
      const documents = [
        { name: 'a', description: 'write release notes' },
        { name: 'b', description: 'notes for a release' },
        { name: 'c', files: [{ filename: 'x', text: 'old release notes' }] },
      ];
      expect(await find('"release notes"', documents)).toEqual(['all-words', [0]]);
      expect(await find('old "release notes"', documents)).toEqual(['file-text', [2]]);
      expect(await find('"relaese notes"', documents)).toEqual(['typo', [0, 2]]);
      expect(await find('"notes release"', documents)).toEqual([undefined, []]);
    });

    test('reads a phrase of many compounds without trying all ways to read it', async () => {
      const many = 'fooBar '.repeat(26);
      const documents = [{ description: `yy ${many}` }];
      expect(await find(`"${many.slice(7)}yy"`, documents)).toEqual([undefined, []]);
    });

    test('finds no phrase across fields, labels or files', async () => {
      const documents = [
        { name: 'release', description: 'notes' },
        { labels: ['release', 'notes'] },
        {
          files: [
            { filename: 'a', text: 'release' },
            { filename: 'b', text: 'notes' },
          ],
        },
      ];
      expect(await find('"release notes"', documents)).toEqual([undefined, []]);
    });

    test('finds compounds by their parts and as a whole, and asks for all parts', async () => {
      const documents = ['react-testing', 'reactTesting', 'react_testing'].map((name) => ({ name }));
      const three = [0, 1, 2];
      for (const q of ['react', 'testing', 'react-testing', 'reactTesting', 'react_testing', 'reacttesting']) {
        expect(await find(q, documents), q).toEqual(['all-words', three]);
      }
      const apart = [{ name: 'testing react' }, { name: 'react' }];
      expect(await find('react-testing', apart)).toEqual(['all-words', [0]]);
    });

    test('keeps a name in PascalCase one word until nothing else is found', async () => {
      const both = [{ name: 'JavaScript' }, { name: 'java' }];
      expect(await find('java', both)).toEqual(['all-words', [1]]);
      expect(await find('javascript', both)).toEqual(['all-words', [0]]);
      expect(await find('builder', [{ name: 'PipelineBuilder' }])).toEqual(['file-text', [0]]);
    });

    test('keeps c++, c#, .net and node.js words', async () => {
      const documents = ['C++ linter', 'C# linter', 'C linter', '.NET upgrade', 'Node.js server', 'node and js'].map(
        (name) => ({ name }),
      );
      expect((await find('c++', documents))[1]).toEqual([0]);
      expect((await find('c#', documents))[1]).toEqual([1]);
      expect((await find('c', documents))[1]).toEqual([2]);
      expect((await find('.net', documents))[1]).toEqual([3]);
      expect((await find('node.js', documents))[1]).toEqual([4]);
    });

    test('finds text without spaces by pairs of characters, a single character by itself', async () => {
      const documents = [{ name: '数据分析' }, { name: '分析' }, { name: '析' }, { name: '自动化测试' }];
      expect(await find('分析', documents)).toEqual(['all-words', [0, 1]]);
      expect(await find('析', documents)).toEqual(['all-words', [0, 1, 2]]);
      expect(await find('数据 测试', documents)).toEqual(['some-words', [0, 3]]);
      expect(await find('化测', documents)).toEqual(['all-words', [3]]);
    });

    test('finds traditional Chinese by simplified and the other way round, and ranks what was asked for first', async () => {
      const documents = [{ name: '記帳助手' }, { name: '记帐助手' }, { name: '书签' }];
      expect(await find('记帐', documents)).toEqual(['all-words', [0, 1]]);
      expect(await find('"記帳"', documents)).toEqual(['all-words', [0, 1]]);
      expect(await find('書', documents)).toEqual(['all-words', [2]]);
      expect(await ranked('记帐', documents)).toEqual([1, 0]);
      expect(await ranked('記帳', documents)).toEqual([0, 1]);
    });

    test('ignores case and accents, and ranks the exact accent first', async () => {
      const documents = [{ name: 'write a resume' }, { name: 'write a RÉSUMÉ' }];
      expect(await find('résumé', documents)).toEqual(['all-words', [0, 1]]);
      expect(await ranked('résumé', documents)).toEqual([1, 0]);
      expect(await ranked('resume', documents)).toEqual([0, 1]);
      const names = [{ name: 'resume' }, { name: 'a builder of résumés' }, { name: 'Résumé builder' }];
      expect((await ranked('résumé', names))[2]).toBe(0);
      expect((await ranked('résumés', names))[2]).toBe(0);
    });

    test('ranks the exact name first', async () => {
      const documents = [
        { name: 'pdf pdf pdf', description: 'pdf pdf' },
        { name: 'other', description: 'pdf' },
        { name: 'PDF', description: 'a long description of many other words' },
      ];
      expect((await ranked('pdf', documents))[0]).toBe(2);
    });

    test('ranks names that begin with the question behind the exact name, before all others', async () => {
      const documents = [
        { name: 'testing react', description: 'react testing, react testing' },
        { name: 'react-testing-library', description: 'a long description of many other words' },
        { name: 'x', description: 'react testing' },
        { name: 'React_Testing', description: 'a description' },
        { name: 'reactTesting in depth' },
      ];
      const [first, ...others] = await ranked('react testing', documents);
      expect(first).toBe(3);
      expect(others.slice(0, 2).sort()).toEqual([1, 4]);
    });

    test('knows the names whose first whole words are the question', async () => {
      const names = ['react-testing-library', 'React', 'reactTesting', 'Reactive', 'a react tool', 'ReactNative'];
      const index = await build(sourceOf(names.map((name) => documentOf({ name }))));
      const beginning = (q: string): readonly number[] => index.beginning(readQuestion(q));
      expect(beginning('react')).toEqual([0, 2]);
      for (const q of ['react testing', 'React-Testing', 'reactTesting', 'reacttesting', '"react testing"'])
        expect([q, beginning(q)]).toEqual([q, [0]]);
      for (const q of ['rea', 'react test', 'testing', 'react testing library', 'a tool', 'native', '"'])
        expect([q, beginning(q)]).toEqual([q, []]);
    });

    test('knows the same names and beginnings of names as a look at all of them', async () => {
      await fc.assert(
        fc.asyncProperty(catalogue, picks, fc.nat(40), async (documents, wanted, length) => {
          const index = await build(sourceOf(documents));
          const { name } = documents[length % documents.length] ?? { name: '' };
          for (const q of [questionFor(documents, wanted), name.slice(0, length), name.toUpperCase()]) {
            const question = readQuestion(q);
            const numbers = [...documents.keys()];
            const nameOf = (number: number): string => (documents[number] as KeywordDocument).name;
            expect([q, index.beginning(question)]).toEqual([q, numbers.filter((n) => beginsWith(nameOf(n), q))]);
            expect([q, index.named(question)]).toEqual([q, numbers.filter((n) => isNamed(nameOf(n), q))]);
          }
        }),
        { numRuns: 60 },
      );
    });

    test('requires stop words only where there is nothing else', async () => {
      const documents = [{ name: 'test' }, { name: 'how to' }];
      expect(await find('how to test', documents)).toEqual(['all-words', [0]]);
      expect(await find('how to', documents)).toEqual(['all-words', [1]]);
    });

    test('applies the filter before it decides which step answers', async () => {
      const documents = [{ name: 'react' }, { name: 'x', files: [{ filename: 'a', text: 'react' }] }].map(documentOf);
      const index = await build(sourceOf(documents));
      const answer = index.match(readQuestion('react'), { filter: Uint8Array.of(0, 1) });
      expect([answer.step, [...answer.documents]]).toEqual(['file-text', [1]]);
    });

    test('counts each document once for a word that it has in several fields and forms', async () => {
      // More documents than a word of a bit set has bits.
      const documents = Array.from({ length: 200 }, (_, i) =>
        documentOf({
          name: i % 3 === 0 ? `test-${i}` : `case-${i}`,
          labels: i % 2 === 0 ? ['tests'] : [],
          description: i % 5 === 0 ? 'testing a case' : 'tested and tests',
          files: i % 7 === 0 ? [{ filename: 'SKILL.md', text: 'a test of a case' }] : [],
        }),
      );
      const index = await build(sourceOf(documents));
      const naive = new NaiveKeywordSearch(documents);
      for (const text of ['test', 'test case', 'tests tested cases']) {
        const question = readQuestion(text);
        const scores = scoresOf(index.match(question, { scored: true }));
        expect([text, [...scores!]]).toEqual([
          text,
          naive.search(question, undefined).scores.map((score) => expect.closeTo(score, 9)),
        ]);
        expect(Math.min(...scores!)).toBeGreaterThan(0);
        expect(Math.max(...scores!)).toBeLessThanOrEqual(1);
      }
    });

    test('gives the same steps, sets, terms and scores as a search through all documents', {
      timeout: 300_000,
    }, async () => {
      await fc.assert(
        fc.asyncProperty(
          catalogue,
          fc.array(
            fc.tuple(
              picks,
              fc.option(fc.array(fc.boolean(), { minLength: 14, maxLength: 14 })),
              fc.option(picks, { nil: undefined }),
            ),
            { minLength: 8, maxLength: 8 },
          ),
          async (documents, questions) => {
            const index = await build(sourceOf(documents));
            const naive = new NaiveKeywordSearch(documents);
            const terms = termsOf(documents);
            for (const [wanted, kept, translation] of questions) {
              const text = questionFor(documents, wanted);
              const question = readQuestion(text);
              const filter =
                kept === null ? undefined : Uint8Array.from(documents, (_, i) => (kept[i] === true ? 1 : 0));
              const english = translation && readQuestion(questionFor(documents, translation));
              const expected = naive.search(question, filter, english);
              const answer = index.match(question, { filter, scored: true, inEnglish: () => english });
              const { step, words } = answer;
              expect({ text, step, words, numbers: [...answer.documents] }).toEqual({
                text,
                step: expected.step,
                words: expected.words,
                numbers: expected.numbers,
              });
              const accepts = answer.accepting();
              expect([text, terms.filter(accepts)]).toEqual([text, terms.filter(expected.accepts)]);
              expect([text, [...(scoresOf(answer) ?? [])]]).toEqual([
                text,
                expected.scores.map((score) => expect.closeTo(score, 9)),
              ]);
              for (const count of [1, 3]) expectBest(answer, count);
            }
          },
        ),
        { numRuns: 70 },
      );
    });
  });
}

/** The best among the documents of odd numbers are the same as if all were scored and sorted. */
function expectBest(matches: KeywordMatches, count: number): void {
  const all = scoresOf(matches);
  if (all === undefined) return;
  const isShown = (document: number): boolean => document % 2 === 1;
  const wanted = [...matches.documents.entries()].filter(([, document]) => isShown(document));
  const sorted = wanted.map(([place]) => all[place]!).sort((a, b) => b - a);
  const least = sorted[Math.min(count, sorted.length) - 1] ?? 1;
  const { documents, scores } = matches.best!({ count, isShown });
  expect([...documents].filter((document) => !isShown(document))).toEqual([]);
  expect([...documents.entries()].filter(([i]) => scores[i]! >= least).map(([, document]) => document)).toEqual(
    wanted.filter(([place]) => all[place]! >= least).map(([, document]) => document),
  );
  expect([...scores]).toEqual(Array.from(documents, (document) => all[matches.documents.indexOf(document)]));
}

function termsOf(documents: readonly KeywordDocument[]): string[] {
  const texts = documents.flatMap((d) => [d.name, d.description]);
  return [...new Set(texts.flatMap((text) => readQuestion(text).looseWords.flatMap((word) => word.terms)))];
}
