import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PROJECT: string = fileURLToPath(new URL('../..', import.meta.url));

/** All pages for people, by their path in the project. */
export function pagePaths(): string[] {
  const docs = readdirSync(join(PROJECT, 'docs')).filter((name) => name.endsWith('.md'));
  return [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'SECURITY.md',
    'bench/README.md',
    'bench/requests/README.md',
    'bench/requests/grading.md',
    'examples/README.md',
    ...docs.map((name) => `docs/${name}`),
  ];
}

export function readPage(path: string): string {
  return readFileSync(join(PROJECT, path), 'utf8');
}

/** A line of a page, and whether it is inside a code block (the fences included). */
export interface PageLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  readonly isCode: boolean;
}

export function linesOf(page: string): PageLine[] {
  let isOpen = false;
  return page.split('\n').map((text, i) => {
    const isFence = text.trimStart().startsWith('```');
    const isCode = isOpen || isFence;
    if (isFence) isOpen = !isOpen;
    return { number: i + 1, text, isCode };
  });
}

/** A code block of a page. */
export interface CodeBlock {
  /** Line of its first line of code, from 1. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
}

export function codeBlocksOf(page: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  for (const match of page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)) {
    const [, language = '', code = ''] = match;
    blocks.push({ line: page.slice(0, match.index).split('\n').length + 1, language, code });
  }
  return blocks;
}

/** The anchors of a page's headings, as code hosts make them. */
export function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const { text, isCode } of linesOf(page)) {
    const heading = isCode ? undefined : /^#{1,6}\s+(.*)$/.exec(text)?.[1];
    if (heading === undefined) continue;
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = plain
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .trim()
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let i = 1; anchors.has(anchor); i++) anchor = `${slug}-${i}`;
    anchors.add(anchor);
  }
  return anchors;
}
