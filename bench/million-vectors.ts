import { atMost, type Bar, round } from './bars.js';
import { runChild } from './child.js';
import type { Spread } from './engine.js';
import { markdownTable } from './markdown-table.js';
import type { EmbeddingLoad } from './meaning.js';

interface SearchFigures {
  readonly openSeconds: number;
  readonly rss: number;
  /** Of the ten nearest by computing all cosines, how many are found. */
  readonly recall: number;
  readonly vector: Spread;
  readonly hybrid: Spread;
}

export interface VectorFigures extends SearchFigures {
  readonly load: EmbeddingLoad;
}

const LEAST_RECALL = 0.95;

/** Gives a catalogue that was loaded without vectors generated ones, and searches them. */
export function measureGeneratedVectors(database: string, source: string, seed: number): VectorFigures {
  const load = runChild<EmbeddingLoad>('vectors-load-child.ts', { database, source, seed });
  return { load, ...runChild<SearchFigures>('vectors-search-child.ts', { database, seed }) };
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

export function vectorBar({ load, recall, vector }: VectorFigures): Bar {
  const bar = atMost('', vector.p50, 20, ' ms');
  return {
    what: `${load.embedded.toLocaleString('en')} generated vectors, p50 of a search`,
    toReach: `${bar.toReach} at recall@10 >= ${LEAST_RECALL}`,
    measured: `${bar.measured} at ${round(recall)}`,
    reached: bar.reached === true && recall >= LEAST_RECALL,
  };
}
