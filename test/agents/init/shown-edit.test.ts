import { expect, test } from 'vitest';
import { showEdits } from '../../../src/agents/init/shown-edit.js';

test('an edit is shown by its lines, without those that are empty', () => {
  const text = 'a = 1\n\n\n[ours]\nb = 2\n\n[ours.env]\nc = 3\n\n[theirs]\n';
  const removed = '\n\n[ours]\nb = 2\n\n[ours.env]\nc = 3\n';
  expect(showEdits(text, [{ offset: text.indexOf(removed), removed, inserted: '' }])).toEqual([
    { line: 4, removed: ['[ours]', 'b = 2', '[ours.env]', 'c = 3'], inserted: [] },
  ]);
});

test('an edit of blanks and commas alone is not shown', () => {
  const text = '{\r\n  "a": 1,\r\n  "b": 2\r\n}';
  expect(showEdits(text, [{ offset: text.indexOf(','), removed: ',\r\n', inserted: '' }])).toEqual([]);
});

test('a member is shown from its own line, without the comma before it', () => {
  const text = '{\n  "a": 1\n}';
  const offset = text.indexOf('1') + 1;
  expect(showEdits(text, [{ offset, removed: '', inserted: ',\n  "b": 2' }])).toEqual([
    { line: 3, removed: [], inserted: ['  "b": 2'] },
  ]);
});
