import { describe, expect, onTestFinished, test } from 'vitest';
import { MAX_LIMIT } from '../../src/core/index.js';
import { openSkillSearch } from '../../src/index.js';
import { EXPLAINED_TEXT } from '../../src/search/keyword-search.js';
import { row } from '../rows.js';

describe('the text that explanations of hits look at', () => {
  test('is shared by the hits of a page', async () => {
    const share = Math.floor(EXPLAINED_TEXT / MAX_LIMIT);
    // The second word ends where the share of a hit ends, or one character behind it.
    const textOf = (end: number): string => `kite ${'.'.repeat(end - 'kite bobbin'.length)}bobbin`;
    const skills = Array.from({ length: MAX_LIMIT }, (_, i) =>
      row(`s-${i}`, { files: [{ filename: 'a.md', text: textOf(share + (i % 2)) }] }),
    );
    const search = await openSkillSearch({ skills });
    onTestFinished(() => search.close());
    const matchesFor = (limit: number): (readonly string[] | undefined)[] =>
      search
        .keyword({ q: 'kite bobbin', limit, copies: 'keep' })
        .hits.toSorted((a, b) => Number(a.skill.id.slice(2)) - Number(b.skill.id.slice(2)))
        .map(({ matches }) => matches.files);
    expect(matchesFor(MAX_LIMIT).slice(0, 2)).toEqual([['kite', 'bobbin'], ['kite']]);
    expect(matchesFor(MAX_LIMIT - 1).every((files) => files?.length === 2)).toBe(true);
  });
});
