import { type LoadReport, openSkillSearch } from '../src/index.js';
import type { FirstAndAgain, TurnFigures } from './asked-in-turns.js';
import { atLeast, atMost, type Bar, round } from './bars.js';
import { runChild } from './child.js';
import { markdownTable } from './markdown-table.js';
import { askProgram, firstMeaning } from './programs.js';

/** Questions in plain language that are asked, and texts that the peer of the embedding phase gets. */
const QUESTIONS = 100;
const PIPELINE_TEXTS = 1500;
/** Questions asked before memory is looked at. */
const QUESTIONS_FOR_MEMORY = 1000;

/** Other questions that a process has answered before those that are timed. */
const OTHERS = 1000;
/** New processes that are asked one question each. */
const PROCESSES = 5;
/** A prime: skills are taken from all over the catalogue. */
const STRIDE = 7919;

interface Times {
  readonly p50: number;
  readonly p95: number;
}

interface SemanticFigures {
  readonly warmUpSeconds: number;
  readonly nearest: { readonly graph?: Times; readonly scan: Times };
  readonly recalls: { readonly graph?: number; readonly scan: number };
  readonly asked: Readonly<Record<'model' | 'hybrid' | 'vector', FirstAndAgain>>;
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
  /** Of the first question of a new process after opening. */
  readonly firstSeconds: number;
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
  const others = await otherQuestions(database, ids);
  const semantic = runChild<SemanticFigures>('semantic-child.ts', { database, questions, others, rounds });
  const many = Array.from({ length: QUESTIONS_FOR_MEMORY }, (_, i) => {
    return { q: questions[i % questions.length] as string, sortBy: 'relevance' as const };
  });
  const { rss } = askProgram(database, many, 'meaning', folder);
  say('starting processes by meaning');
  const firstSeconds = firstMeaning(database, spread(questions, PROCESSES));
  const rate = load.embedded / load.seconds.embedding;
  return { ...semantic, load, rate, pipelineRate: pipeline.rate, rss, firstSeconds };
}

export function meaningTables(figures: MeaningFigures): string[] {
  const { warmUpSeconds, firstSeconds, nearest, recalls, asked, load, rate, pipelineRate } = figures;
  const line = (name: string, { p50, p95 }: Times, recall: number | undefined): string[] => {
    return [name, round(p50), round(p95), recall?.toFixed(4) ?? ''];
  };
  const cells = ({ p50, p95, p99, timesFirst, longestBlock }: TurnFigures): string[] => {
    return [p50, p95, p99, timesFirst, longestBlock].map(round);
  };
  const { first, again } = asked.hybrid;
  return [
    `embedding: ${load.embedded} texts, ${rate.toFixed(0)} a second; the model runtime called text by text: ${pipelineRate.toFixed(0)} a second\n` +
      `index of vectors, beside that of words: ${round(load.seconds.indexing)} s; warm-up of semantic search: ${round(warmUpSeconds)} s; first question of a process after opening: ${round(firstSeconds)} s`,
    markdownTable(
      ['by meaning', 'p50 ms', 'p95 ms', 'recall@10'],
      [
        ...(nearest.graph === undefined ? [] : [line('candidates by graph', nearest.graph, recalls.graph)]),
        line('candidates by scan', nearest.scan, recalls.scan),
      ],
    ),
    markdownTable(
      [
        'by meaning',
        ...['first', 'again'].flatMap((column) => [
          `${column}: p50 ms`,
          'p95 ms',
          'p99 ms',
          'times the model',
          'longest block, ms',
        ]),
      ],
      Object.entries({ 'the model alone': asked.model, vector: asked.vector, hybrid: asked.hybrid }).map(
        ([name, figuresOf]) => [name, ...cells(figuresOf.first), ...cells(figuresOf.again)],
      ),
    ),
    `the event loop was blocked longest by ${JSON.stringify(first.blockedBy)} when it was asked first, and by ${JSON.stringify(again.blockedBy)} asked again`,
  ];
}

export function meaningBars({ asked, rate, pipelineRate, rss, firstSeconds }: MeaningFigures): Bar[] {
  const { model, hybrid, vector } = asked;
  const times = (of: 'p50' | 'p95'): number => hybrid.first[of] / model.first[of];
  const from = (of: 'p50' | 'p95'): string => ` (${round(hybrid.first[of])} to ${round(model.first[of])} ms)`;
  const blocks = [hybrid, vector].flatMap(({ first, again }) => [first.longestBlock, again.longestBlock]);
  return [
    atMost("hybrid asked first, p50, times the model's own", times('p50'), 2.5, '', from('p50')),
    atMost("hybrid asked first, p95, times the model's own", times('p95'), 3, '', from('p95')),
    atMost('longest block of the event loop by a semantic search', Math.max(...blocks), 20, ' ms'),
    atMost('first question by meaning of a process, after opening', firstSeconds, 1.2, ' s'),
    atLeast('bulk embedding, times one pipeline text by text', rate / pipelineRate, 1.4, ''),
    atMost('memory after 1,000 questions by meaning', rss / 1e6, 550, ' MB'),
  ];
}

/** Names and beginnings of descriptions, of skills from all over the catalogue. */
async function otherQuestions(database: string, ids: readonly string[]): Promise<string[]> {
  await using search = await openSkillSearch({ database });
  return Array.from({ length: OTHERS }, (_, i) => {
    const skill = search.get(ids[(i * STRIDE) % ids.length] as string);
    if (skill === undefined) return 'skill';
    // Every third is a name; the others have 20 to 219 characters.
    return (i % 3 === 0 ? '' : skill.description.slice(0, 20 + ((i * STRIDE) % 200))).trim() || skill.name;
  });
}

async function descriptionsOf(database: string, ids: readonly string[]): Promise<string[]> {
  await using search = await openSkillSearch({ database });
  return ids.slice(-QUESTIONS).map((id) => search.get(id)?.description.slice(0, 80) ?? id);
}

function spread(all: readonly string[], count: number): string[] {
  const step = Math.max(1, Math.floor(all.length / count));
  return all.filter((_, i) => i % step === 0).slice(0, count);
}
