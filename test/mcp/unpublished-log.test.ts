import { expect, test } from 'vitest';
import { unpublishedLog } from '../../src/mcp/unpublished.js';

test('names a hundred skills, each once, and then says that there are more', () => {
  const lines: string[] = [];
  const tell = unpublishedLog((message, { skill }) => lines.push(`${message} ${skill ?? ''}`));
  for (let i = 0; i < 300; i++) for (let twice = 0; twice < 2; twice++) tell(`s${i}`, 'because', 'everywhere');
  expect(lines.length).toBe(101);
  expect([lines[0], lines[99]]).toEqual(['found but not published s0', 'found but not published s99']);
  expect(lines[100]).toContain('further skills');
});

test('says of a skill that it is not published only where it is not', () => {
  const lines: string[] = [];
  const tell = unpublishedLog((message) => lines.push(message));
  for (const where of ['everywhere', 'for-installers', 'in-index'] as const) tell('s', 'because', where);
  expect(lines).toEqual([
    'found but not published',
    'not published for installers',
    'published at its own address only',
  ]);
});
