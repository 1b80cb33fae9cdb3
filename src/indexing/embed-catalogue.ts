import { availableParallelism } from 'node:os';
import { anyOf, loopTurn } from '../core/index.js';
import {
  type ChosenModel,
  type Classifier,
  checkDimensions,
  type Embedder,
  embedChecked,
  meanVector,
  TEXTS_PER_THREAD,
  textsToEmbed,
} from '../semantic/index.js';
import type { EmbeddedText, EmbeddingSink, LabelledSkill, LoadLabels, TextToEmbed } from '../store/writing.js';
import type { IndexingOptions } from './index-or-warn.js';

/** Skills between two writes, each with one text or two. A kill loses at most these: a second or two of work. */
const BATCH = 256;

/**
 * Embeds the texts of a load that do not yet have a vector of the model.
 *
 * @returns the number of those that were embedded here
 * @throws {SkillSearchError} `MODEL_RUNTIME_MISSING`, `MODEL_NOT_READABLE`, `EMBEDDER_FAILED`
 * @throws the signal's reason when aborted; the vectors made until then are kept
 */
export async function embedCatalogue(
  sink: EmbeddingSink,
  model: ChosenModel,
  { signal, onProgress }: IndexingOptions,
): Promise<number> {
  const missing = sink.useModel(model.id);
  if (missing.length === 0) return 0;
  onProgress(0, missing.length);
  const threads = Math.min(availableParallelism(), Math.ceil(missing.length / TEXTS_PER_THREAD));
  const embedder = await model.start(threads);
  try {
    let done = 0;
    for await (const batch of embedBatches(sink, embedder, missing, signal)) {
      sink.putVectors(batch);
      done += batch.length;
      onProgress(done, missing.length);
    }
    return done;
  } finally {
    await model.stop(embedder);
  }
}

/**
 * Embeds batch by batch. Begins the next batch before the last is written, so that no thread waits for the writing.
 * Where a batch fails or is not taken, the next one is aborted: it may be asked of a service that costs money.
 */
async function* embedBatches(
  sink: EmbeddingSink,
  embedder: Embedder,
  missing: readonly number[],
  signal: AbortSignal | undefined,
): AsyncGenerator<EmbeddedText[]> {
  let dimensions = sink.dimensions;
  const ended = new AbortController();
  const joined = anyOf([signal, ended.signal]);
  const begin = (start: number): Promise<EmbeddedText[]> | undefined => {
    if (start >= missing.length) return undefined;
    const texts = missing.slice(start, start + BATCH).map((skill) => sink.textToEmbed(skill));
    const embedding = embedTexts(embedder, texts, joined.signal);
    // Prevents an unhandled rejection: if an earlier batch fails, nothing awaits this one.
    embedding.catch(() => {});
    return embedding;
  };
  try {
    let current = begin(0);
    for (let start = BATCH; current !== undefined; start += BATCH) {
      const next: Promise<EmbeddedText[]> | undefined = begin(start);
      const batch: EmbeddedText[] = await current;
      const vectors = batch.map(({ vector }) => vector);
      dimensions ??= vectors[0]?.length ?? 0;
      checkDimensions(embedder, vectors, dimensions);
      yield batch;
      signal?.throwIfAborted();
      current = next;
    }
  } finally {
    ended.abort();
    joined.end();
  }
}

async function embedTexts(
  embedder: Embedder,
  texts: readonly TextToEmbed[],
  signal: AbortSignal,
): Promise<EmbeddedText[]> {
  const embedded = texts.map((text) => textsToEmbed(text));
  const distinct = [...new Set(embedded.flat())];
  const vectors = await embedChecked(embedder, distinct, { signal, purpose: 'document' });
  const vectorOf = new Map(distinct.map((text, i) => [text, vectors[i]!]));
  return texts.map(({ textHash }, i) => ({
    textHash,
    vector: meanVector(embedded[i]!.map((text) => vectorOf.get(text)!)),
  }));
}

/** Skills between two writes, and two turns of the event loop: some ten milliseconds. */
const CLASSIFIED_AT_ONCE = 256;

/** What became of the skills without categories. */
export interface Classified {
  /** Skills that got at least one category. */
  readonly labelled: number;
  /** Skills that have no vector, and so were left out. */
  readonly withoutVector: number;
}

/**
 * Classifies the skills of a load that have no categories, and are not classified by these rules yet.
 *
 * @throws the signal's reason when aborted; what was found until then is kept
 */
export async function classifyCatalogue(
  sink: LoadLabels,
  classifier: Pick<Classifier, 'rules' | 'model' | 'classify'>,
  signal?: AbortSignal,
): Promise<Classified> {
  const skills = sink.begin(classifier.rules);
  let [labelled, withoutVector] = [0, 0];
  for (let start = 0; start < skills.length; start += CLASSIFIED_AT_ONCE) {
    const batch: LabelledSkill[] = [];
    const some = skills.slice(start, start + CLASSIFIED_AT_ONCE);
    for (const { skill, name, description, vector } of sink.skillsToLabel(some, classifier.model)) {
      if (vector === undefined) {
        withoutVector += 1;
        continue;
      }
      const categories = classifier.classify(name, description, vector);
      if (categories.length > 0) labelled += 1;
      batch.push({ skill, categories });
    }
    if (batch.length > 0) sink.putLabels(batch);
    await loopTurn(signal);
  }
  return { labelled, withoutVector };
}
