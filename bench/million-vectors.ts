import { atMost, type Bar, round } from './bars.js';
import { runChild } from './child.js';
import type { Spread } from './engine.js';
import { markdownTable } from './markdown-table.js';
import type { EmbeddingLoad } from './meaning.js';
import { poolOf } from './programs.js';
import { makeQuestions, sampleIds } from './questions.js';

interface SearchFigures {
  readonly openSeconds: number;
  readonly rss: number;
  /** Of the ten nearest by computing all cosines, how many are found. */
  readonly recall: number;
  readonly vector: Spread;
  readonly hybrid: Spread;
}

interface Times {
  readonly p50: number;
  readonly p95: number;
}

/** Of a process that is asked questions by words, by vector and by both in turn. */
interface MixedFigures {
  /** Bytes after opening, after all questions, and at most. */
  readonly openedRss: number;
  readonly rss: number;
  readonly peakRss: number;
  readonly words: Times;
  readonly vector: Times;
  readonly hybrid: Times;
  readonly all: Times;
}

export interface VectorFigures extends SearchFigures {
  readonly load: EmbeddingLoad;
  readonly mixed: MixedFigures;
}

const MIXED_QUESTIONS = 1000;

const LEAST_RECALL = 0.95;

/** Gives a catalogue that was loaded without vectors generated ones, and searches them. */
export async function measureGeneratedVectors(database: string, source: string, seed: number): Promise<VectorFigures> {
  const load = runChild<EmbeddingLoad>('vectors-load-child.ts', { database, source, seed });
  const questions = poolOf(await makeQuestions(database, sampleIds(database)), MIXED_QUESTIONS);
  const mixed = runChild<MixedFigures>('vectors-mixed-child.ts', { database, seed, questions });
  return { load, mixed, ...runChild<SearchFigures>('vectors-search-child.ts', { database, seed }) };
}

export function vectorTable({ load, openSeconds, rss, recall, vector, hybrid }: VectorFigures): string {
  const { embedding, indexing } = load.seconds;
  return markdownTable(
    [
      'generated vectors',
      'load again with them s',
      'making and storing s',
      'their index s',
      'load peak MB',
      'opening s',
      'memory (RSS) MB',
      'recall@10',
      'vector p50 / p99 ms',
      'hybrid p50 / p99 ms',
    ],
    [
      [
        load.embedded.toLocaleString('en'),
        ...[load.total, embedding, indexing, load.peakBytes / 1e6, openSeconds, rss / 1e6, recall].map(round),
        ...[vector, hybrid].map(({ p50, p99 }) => `${round(p50)} / ${round(p99)}`),
      ],
    ],
  );
}

export function mixedTable({ load, mixed }: VectorFigures): string {
  const { openedRss, rss, peakRss, all, words, vector, hybrid } = mixed;
  return markdownTable(
    [
      `${MIXED_QUESTIONS.toLocaleString('en')} mixed questions`,
      'memory (RSS) opened MB',
      'then MB',
      'peak MB',
      ...['all', 'words', 'vector', 'hybrid'].map((kind) => `${kind} p50 / p95 ms`),
    ],
    [
      [
        load.embedded.toLocaleString('en'),
        ...[openedRss, rss, peakRss].map((bytes) => round(bytes / 1e6)),
        ...[all, words, vector, hybrid].map(({ p50, p95 }) => `${round(p50)} / ${round(p95)}`),
      ],
    ],
  );
}

export function mixedBar({ load, mixed }: VectorFigures): Bar {
  const what = `${load.embedded.toLocaleString('en')} generated vectors, peak memory of ${MIXED_QUESTIONS.toLocaleString('en')} mixed questions`;
  return atMost(what, mixed.peakRss / 1e6, 1500, ' MB', ` (p50 ${round(mixed.all.p50)} ms)`);
}

export function vectorBar({ load, recall, vector }: VectorFigures): Bar {
  const bar = atMost('', vector.p50, 20, ' ms');
  return {
    what: `${load.embedded.toLocaleString('en')} generated vectors, p50 of a search`,
    toReach: `${bar.toReach} at recall@10 >= ${LEAST_RECALL}`,
    measured: `${bar.measured} at ${round(recall)}`,
    reached: bar.reached === true && recall >= LEAST_RECALL,
  };
}
