import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  askedWords,
  type FileMatches,
  type KeywordDocument,
  makeSnippet,
  matchedTerms,
  matchFiles,
  readQuestion,
  SNIPPET_LENGTH,
  type TermMatcher,
} from '../../src/keyword/index.js';

function documentOf(fields: Partial<KeywordDocument>): KeywordDocument {
  return { name: 'skill', author: 'somebody', labels: [], description: '', files: [], ...fields };
}

function matchesOf(step: TermMatcher['step'], ...terms: string[]): TermMatcher {
  return { step, accepts: (term) => terms.includes(term) };
}

function highlighted({ text, highlights }: ReturnType<typeof makeSnippet>): string[] {
  return highlights.map(([start, end]) => text.slice(start, end));
}

describe('a snippet', () => {
  test('shows the description whole where it is short, with the matched words marked', () => {
    const snippet = makeSnippet(
      documentOf({ description: 'Write tests for React.' }),
      matchesOf('all-words', 'tests', 'react'),
    );
    expect(snippet).toMatchObject({ field: 'description', text: 'Write tests for React.' });
    expect(highlighted(snippet)).toEqual(['tests', 'React']);
  });

  test('shows the place of a long description where most of the words stand', () => {
    const description = `${'filler words go here. '.repeat(30)}Then release notes are written from git. ${'More filler. '.repeat(30)}`;
    const snippet = makeSnippet(documentOf({ description }), matchesOf('all-words', 'release', 'notes', 'git'));
    expect(snippet.text).toContain('release notes are written from git');
    expect(snippet.text).toMatch(/^….*…$/);
    expect(snippet.text.length).toBeLessThanOrEqual(SNIPPET_LENGTH + 2);
    expect(highlighted(snippet)).toEqual(['release', 'notes', 'git']);
  });

  test('comes from the file with the most of the words where the description has none', () => {
    const files = [
      { filename: 'SKILL.md', text: 'about git' },
      { filename: 'references/a.md', text: 'git bisect' },
    ];
    const snippet = makeSnippet(documentOf({ description: 'other', files }), matchesOf('file-text', 'git', 'bisect'));
    expect(snippet).toMatchObject({ field: 'files', filename: 'references/a.md', text: 'git bisect' });
  });

  test('marks words in text that changes its length when normalised', () => {
    const snippet = makeSnippet(
      documentOf({ description: 'ﬁne ﬀ ㍿ re\u200bact ｶﾞｲﾄﾞ end' }),
      matchesOf('all-words', 'react', 'end', 'fine'),
    );
    expect(highlighted(snippet)).toEqual(['ﬁne', 're\u200bact', 'end']);
  });

  test('joins the marks of overlapping pairs', () => {
    const snippet = makeSnippet(
      documentOf({ description: '做数据分析的' }),
      matchesOf('all-words', '数据', '据分', '分析'),
    );
    expect(highlighted(snippet)).toEqual(['数据分析']);
  });

  test('holds no control characters or line breaks, and marks that fit, whatever the text', () => {
    const text = fc.array(
      fc.oneof(
        fc.constantFrom('git', 'test', '数据', ' ', '\n', '\u001b[31m', '\0', 'ﬁ', '😀'),
        fc.string({ unit: 'binary' }),
      ),
      { maxLength: 120 },
    );
    fc.assert(
      fc.property(text, (pieces) => {
        const snippet = makeSnippet(
          documentOf({ description: pieces.join(' ') }),
          matchesOf('all-words', 'git', 'test', '数据'),
        );
        expect(snippet.text).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
        let before = 0;
        for (const [start, end] of snippet.highlights) {
          expect(start).toBeGreaterThanOrEqual(before);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(snippet.text.length);
          before = end;
        }
      }),
    );
  });
});

describe('matched terms', () => {
  const document = documentOf({
    name: 'git-helper',
    labels: ['git-workflows'],
    description: 'Git and GitHub',
    files: [{ filename: 'a', text: 'git git bisect' }],
  });

  test('are told by field, each once; file text only from the second step on', () => {
    expect(matchedTerms(document, matchesOf('all-words', 'git'))).toEqual({
      name: ['git'],
      labels: ['git'],
      description: ['git'],
    });
    expect(matchedTerms(document, matchesOf('file-text', 'git', 'bisect')).files).toEqual(['git', 'bisect']);
  });

  test('leave the parts of PascalCase words out in the first step', () => {
    const onlyInner = documentOf({ description: 'GitHub' });
    expect(matchedTerms(onlyInner, matchesOf('all-words', 'git'))).toEqual({});
    expect(matchedTerms(onlyInner, matchesOf('file-text', 'git'))).toEqual({ description: ['git'] });
  });
});

describe('the file that matches best', () => {
  test('is the one with most of the words, and of these the one that has them most often', () => {
    expect(match('birds islands', { 'SKILL.md': 'birds birds birds', 'a.md': 'birds and islands' }).filename).toBe(
      'a.md',
    );
    expect(match('birds', { 'SKILL.md': 'birds', 'a.md': 'birds birds' }).filename).toBe('a.md');
  });

  test('is SKILL.md where others have no more', () => {
    expect(match('birds', { 'a.md': 'birds', 'SKILL.md': 'birds', 'b.md': 'birds' }).filename).toBe('SKILL.md');
    expect(match('tables', { 'a.md': 'birds', 'SKILL.md': 'birds' }).filename).toBe('SKILL.md');
    expect(match('tables', { 'a.md': 'birds', 'b.md': 'birds' }).filename).toBe('a.md');
  });

  test('has the words as they stand or by their stem, and single characters of texts without spaces', () => {
    expect(match('test', { 'a.md': 'nothing', 'b.md': 'Testing, tested' })).toEqual({
      filename: 'b.md',
      terms: ['testing', 'tested'],
    });
    expect(match('会', { 'a.md': 'nothing', 'b.md': '会议录音' }).filename).toBe('b.md');
  });

  test('is looked for in the beginning of very much text only', () => {
    const long = 'filler '.repeat(60_000);
    const files = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`${i}.md`, `birds ${long}`]));
    const { filename, terms } = match('birds', { ...files, 'last.md': 'birds birds birds' });
    expect([filename, terms]).toEqual(['0.md', ['birds']]);
  });
});

function match(question: string, files: Readonly<Record<string, string>>): FileMatches {
  const list = Object.entries(files).map(([filename, text]) => ({ filename, text }));
  return matchFiles(list, askedWords(readQuestion(question)));
}
