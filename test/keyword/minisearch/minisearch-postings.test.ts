import fc from 'fast-check';
import MiniSearch from 'minisearch';
import { expect, test } from 'vitest';
import { MiniSearchPostings } from '../../../src/keyword/minisearch/minisearch-words.js';

const word = fc.constantFrom('git', 'react', 'test', 'tests', 'pdf', '数据', 'résumé');
const field = fc.array(word, { maxLength: 8 });
const documents = fc.array(fc.tuple(field, field), { minLength: 1, maxLength: 12 });

function build(list: readonly (readonly [string[], string[]])[]): { ours: MiniSearchPostings; plain: MiniSearch } {
  const options = {
    fields: ['title', 'text'],
    tokenize: (text: string) => text.split(' ').filter(Boolean),
    processTerm: (term: string) => term,
  };
  const ours = new MiniSearchPostings(options);
  for (const [number, terms] of list.entries()) ours.addTerms(number, terms);
  for (const _ of ours.finish(() => undefined, 1));
  const plain = new MiniSearch(options);
  plain.addAll(list.map(([title, text], id) => ({ id, title: title.join(' '), text: text.join(' ') })));
  return { ours, plain };
}

test('an index filled term by term answers as one that MiniSearch filled itself', () => {
  fc.assert(
    fc.property(documents, fc.array(word, { minLength: 1, maxLength: 3 }), (list, query) => {
      const { ours, plain } = build(list);
      for (const combineWith of ['AND', 'OR'] as const) {
        const results = (index: MiniSearch | MiniSearchPostings): unknown =>
          index
            .search(query.join(' '), { combineWith })
            .map(({ id, score, match }) => ({ id, score: score.toPrecision(9), match }))
            .sort((a, b) => a.id - b.id);
        expect(results(ours)).toEqual(results(plain));
      }
      expect(ours.documentCount).toBe(plain.documentCount);
      expect(ours.termCount).toBe(plain.termCount);
    }),
  );
});

test('tells every distinct term once, with pauses', () => {
  const ours = new MiniSearchPostings({ fields: ['text'] });
  ours.addTerms(0, [['a', 'b', 'a', 'c']]);
  const told: string[] = [];
  const pauses = [...ours.finish((term) => told.push(term), 2)];
  expect(told).toEqual(['a', 'b', 'c']);
  expect(pauses).toHaveLength(1);
});
