import { writeFileSync } from 'node:fs';
import { type GeneratedRow, generatedRows } from '../generated-catalogue.js';
import { wordsByFrequency } from '../word-frequencies.js';

/**
 * What the loader loads again and again: one *generation* after the other. All marked skills of a generation bear its
 * number, in their `skillUrl` and their file text; one more skill comes with it, and that of the generation before
 * goes. So two numbers in one answer, or none of the two, tell of a state that nobody published.
 */
const MARKED = 100;

/** A word that all marked skills have, and nothing else. */
const MARKED_WORD = 'qzmarked';
const NEWCOMER_WORD = 'qznewcomer';
/** What stands in an expected answer where an answer has the number of its generation. */
const PLACEHOLDER = 'load######';
const NUMBERS = /load(\d{6})/g;

const BEGIN = 1_700_000_000;
const SEED = 3;
/** Rows between two marked ones, by date: lists have some of both. */
const BETWEEN = 1000;

/** A question of the client, by its path and query. */
export interface ClusterQuestion {
  readonly path: string;
  readonly kind: 'words' | 'meaning';
}

type Row = Omit<GeneratedRow, 'files'> & { readonly files?: GeneratedRow['files'] };

/** Rows that no load changes, made up; the same ones for the same number. */
export function baseRows(skills: number): readonly Row[] {
  return [...generatedRows(skills, SEED, { fileText: false })].map((row, i) => ({
    ...row,
    // No two have the same date, so that the order is that of the dates.
    updatedAt: BEGIN + i * BETWEEN,
  }));
}

/** The rows of a generation. */
export function generationRows(generation: number, base: readonly Row[]): readonly Row[] {
  const mark = markOf(generation);
  const marked = Array.from({ length: MARKED }, (_, i) => {
    const like = base[(i * 7) % base.length]!;
    return {
      ...like,
      id: `marked-${i}`,
      name: `${MARKED_WORD} ${like.name}`,
      codehostUrl: `https://code.example/marked/${i}`,
      skillUrl: `https://skills.example/${mark}/${i}`,
      updatedAt: BEGIN + 500 + i * BETWEEN,
      files: [{ filename: 'SKILL.md', text: `${mark} is the load of this skill` }],
    };
  });
  const like = base[1 % base.length]!;
  return [
    ...marked,
    {
      ...like,
      id: `newcomer-${mark}`,
      name: NEWCOMER_WORD,
      codehostUrl: `https://code.example/newcomer/${mark}`,
      skillUrl: `https://skills.example/newcomer/${mark}`,
      updatedAt: BEGIN + 700,
    },
  ];
}

export function writeRows(path: string, rows: readonly Row[]): void {
  writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

/** Questions by words, in both orders of the interface, a third of them for marked skills; and some by meaning. */
export function clusterQuestions(base: readonly Row[], count: number, byMeaning: number): readonly ClusterQuestion[] {
  const words = wordsByFrequency(base.map(({ description }) => description));
  const orders = ['recent', 'stars'];
  const asked = Array.from({ length: count }, (_, i) => {
    const word = words[(i * i) % Math.min(words.length, 5000)]!;
    const q = i % 9 === 0 ? NEWCOMER_WORD : i % 3 === 0 ? `${MARKED_WORD} ${i % 2 === 0 ? '' : words[i % 30]}` : word;
    const limit = i % 3 === 0 ? 50 : 20;
    const query = new URLSearchParams({ q: q.trim(), sortBy: orders[i % 2]!, limit: String(limit) });
    return { path: `/api/v1/skills/search?${query}`, kind: 'words' as const };
  });
  const sentences = Array.from({ length: byMeaning }, (_, i) => {
    const { description } = base[(i * 31) % base.length]!;
    const query = new URLSearchParams({ q: description.split(' ').slice(0, 9).join(' ').slice(0, 200) });
    return { path: `/api/v1/skills/ai-search?${query}`, kind: 'meaning' as const };
  });
  return [...asked, ...sentences];
}

function markOf(generation: number): string {
  return `load${String(generation).padStart(6, '0')}`;
}

/** The generations that a text is of, ascending; none if no marked skill is in it. */
export function generationsIn(text: string): readonly number[] {
  const numbers = new Set<number>();
  for (const [, digits] of text.matchAll(NUMBERS)) numbers.add(Number(digits));
  return [...numbers].sort((a, b) => a - b);
}

/** The generation that the first marked skill of a text is of; undefined if there is none. */
export function firstGenerationIn(text: string): number | undefined {
  const at = text.search(/load\d{6}/);
  return at === -1 ? undefined : Number(text.slice(at + 4, at + 10));
}

/** What a question must be answered with, whatever the generation. */
export class ExpectedAnswer {
  readonly #template: string;
  #last: { readonly generation: number; readonly text: string } | undefined;

  /** @param answer of one generation */
  constructor(answer: string) {
    this.#template = answer.replaceAll(NUMBERS, PLACEHOLDER);
  }

  of(generation: number): string {
    if (this.#last?.generation !== generation) {
      this.#last = { generation, text: this.#template.replaceAll(PLACEHOLDER, markOf(generation)) };
    }
    return this.#last.text;
  }

  /** Whether the answer has skills that bear the number of a generation. */
  get isMarked(): boolean {
    return this.#template.includes(PLACEHOLDER);
  }
}

/** What of a body does not depend on when it was asked for. */
export function lastingPart(body: string): string {
  const at = body.lastIndexOf(',"meta":');
  return at === -1 ? body : body.slice(0, at);
}
