import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cursorAfter, parseSkillUri, readCursor, skillUri } from '../../src/mcp/skills.js';

const ID = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text.isWellFormed() && text.trim() !== '');
const SEGMENT = ID.filter((text) => !text.includes('/') && !/^\.{1,2}$/.test(text) && !text.includes('\0'));

describe('a skill URI', () => {
  test('is the id, the name and the path', () => {
    expect(skillUri('acme-tools-pdf', 'pdf')).toBe('skill://acme-tools-pdf/pdf/SKILL.md');
    expect(skillUri('a', 'pdf', 'ä b/c#d?.md')).toBe('skill://a/pdf/%C3%A4%20b/c%23d%3F.md');
    expect(skillUri('Owner/repo path', 'pdf', '')).toBe('skill://Owner%2Frepo%20path/pdf');
  });

  test('is one that the URL standard writes back as it is, and gives its parts back', () => {
    fc.assert(
      fc.property(ID, SEGMENT, fc.array(SEGMENT, { minLength: 1, maxLength: 4 }), (id, name, segments) => {
        const path = segments.join('/');
        const uri = skillUri(id, name, path);
        expect(new URL(uri).href).toBe(uri);
        expect(parseSkillUri(uri)).toEqual({ id, name, path });
      }),
    );
  });

  test('is spelt in one way only', () => {
    for (const uri of ['skill://%61/b/SKILL.md', 'SKILL://a/b/c', 'skill://a', 'skill://a/', 'skill:///b', 'x://a/b']) {
      expect(parseSkillUri(uri)).toBeUndefined();
    }
    for (const uri of ['skill://a/b/c?d', 'skill://a/b/c#d', 'skill://a/b/%zz', 'skill://a/b/']) {
      expect(parseSkillUri(uri)?.path ?? '').toBe('');
    }
  });
});

describe('a cursor', () => {
  test('gives back what the page ended with, for its own list', () => {
    fc.assert(
      fc.property(ID, (id) => {
        const cursor = cursorAfter('skills/list', id);
        expect(readCursor('skills/list', cursor)).toBe(id);
        expect(readCursor('resources/list', cursor)).toBeUndefined();
      }),
    );
  });

  test('that was made up is not taken', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readCursor('skills/list', text)).toBeUndefined();
      }),
    );
    const cursor = cursorAfter('skills/list', 'a');
    expect(readCursor('skills/list', `${cursor}0`)).toBeUndefined();
    expect(readCursor('skills/list', cursor.replace(/^./, 'Z'))).toBeUndefined();
  });
});
