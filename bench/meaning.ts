import { type LoadReport, openSkillSearch } from '../src/index.js';
import { atLeast, atMost, type Bar, round } from './bars.js';
import { runChild } from './child.js';
import { markdownTable } from './markdown-table.js';
import { askProgram } from './programs.js';

/** Questions in plain language that are asked, and texts that the peer of the embedding phase gets. */
const QUESTIONS = 100;
const PIPELINE_TEXTS = 1500;
/** Questions asked before memory is looked at. */
const QUESTIONS_FOR_MEMORY = 1000;

interface Times {
  readonly p50: number;
  readonly p95: number;
}

interface SemanticFigures {
  readonly warmUpSeconds: number;
  readonly model: Times;
  readonly nearest: { readonly graph?: Times; readonly scan: Times };
  readonly recalls: { readonly graph?: number; readonly scan: number };
  readonly byRanking: Readonly<Record<string, Times & { readonly longestBlock: number }>>;
}

export interface EmbeddingLoad {
  readonly embedded: number;
  readonly seconds: LoadReport['seconds'];
  readonly total: number;
  readonly peakBytes: number;
}

export interface MeaningFigures extends SemanticFigures {
  readonly load: EmbeddingLoad;
  /** Texts a second: of the load, and of the model runtime called text by text. */
  readonly rate: number;
  readonly pipelineRate: number;
  readonly rss: number;
}

export interface MeaningOptions {
  readonly database: string;
  readonly source: string;
  readonly ids: readonly string[];
  /** In plain language; without any, descriptions of skills are asked, cut short. */
  readonly given: readonly string[];
  readonly rounds: number;
  readonly folder: string;
  readonly say: (what: string) => void;
}

/** Embeds a catalogue that was loaded without vectors, and searches it by meaning. */
export async function measureMeaning(options: MeaningOptions): Promise<MeaningFigures> {
  const { database, source, ids, given, rounds, folder, say } = options;
  say('embedding');
  const load = runChild<EmbeddingLoad>('load-child.ts', { database, source, semantic: true });
  const pipeline = runChild<{ rate: number }>('pipeline-child.ts', { database, ids: ids.slice(0, PIPELINE_TEXTS) });
  say('asking by meaning');
  const questions = given.length > 0 ? spread(given, QUESTIONS) : await descriptionsOf(database, ids);
  const semantic = runChild<SemanticFigures>('semantic-child.ts', { database, questions, rounds });
  const many = Array.from({ length: QUESTIONS_FOR_MEMORY }, (_, i) => {
    return { q: questions[i % questions.length] as string, sortBy: 'relevance' as const };
  });
  const { rss } = askProgram(database, many, 'meaning', folder);
  return { ...semantic, load, rate: load.embedded / load.seconds.embedding, pipelineRate: pipeline.rate, rss };
}

export function meaningTables(figures: MeaningFigures): string[] {
  const { warmUpSeconds, model, nearest, recalls, byRanking, load, rate, pipelineRate } = figures;
  const line = (name: string, { p50, p95 }: Times, block = '', recall = ''): string[] => {
    return [name, round(p50), round(p95), block, recall];
  };
  return [
    `embedding: ${load.embedded} texts, ${rate.toFixed(0)} a second; the model runtime called text by text: ${pipelineRate.toFixed(0)} a second\n` +
      `index of vectors, beside that of words: ${round(load.seconds.indexing)} s; warm-up of semantic search: ${round(warmUpSeconds)} s`,
    markdownTable(
      ['by meaning', 'p50 ms', 'p95 ms', 'longest block of the event loop, ms', 'recall@10'],
      [
        line('the model alone', model),
        ...(nearest.graph === undefined
          ? []
          : [line('candidates by graph', nearest.graph, '', recalls.graph?.toFixed(4))]),
        line('candidates by scan', nearest.scan, '', recalls.scan.toFixed(4)),
        ...Object.entries(byRanking).map(([ranking, times]) => {
          return line(`search.semantic, ${ranking}`, times, round(times.longestBlock));
        }),
      ],
    ),
  ];
}

export function meaningBars({ model, byRanking, rate, pipelineRate, rss }: MeaningFigures): Bar[] {
  const hybrid = byRanking['hybrid']?.p50 ?? 0;
  const more = ` (${round(hybrid)} to ${round(model.p50)} ms)`;
  return [
    atMost("semantic search end to end, p50, times the model's own", hybrid / model.p50, 3, '', more),
    atLeast('bulk embedding, times one pipeline text by text', rate / pipelineRate, 1.4, ''),
    atMost('memory after 1,000 questions by meaning', rss / 1e6, 550, ' MB'),
  ];
}

async function descriptionsOf(database: string, ids: readonly string[]): Promise<string[]> {
  await using search = await openSkillSearch({ database, keywordIndex: false });
  return ids.slice(-QUESTIONS).map((id) => search.get(id)?.description.slice(0, 80) ?? id);
}

function spread(all: readonly string[], count: number): string[] {
  const step = Math.max(1, Math.floor(all.length / count));
  return all.filter((_, i) => i % step === 0).slice(0, count);
}
