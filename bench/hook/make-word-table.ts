import { readFileSync } from 'node:fs';
import { WORD_DIMENSIONS, wordsIn } from '../../src/agents/hook/word-table.js';
import { randomNumbers } from '../../src/evaluation/compare.js';
import { BUNDLED_MODEL, inspectModel } from '../../src/semantic/index.js';
import { LocalEmbedder } from '../../src/semantic/local-embedder.js';
import { fitWordVectors } from './fit-word-vectors.js';
import { packWordTable } from './pack-word-table.js';
import { principalAxes } from './principal-axes.js';
import { readRows } from './read-rows.js';

const WORDS = 14_000;
const TEXTS = 44_000;
/** Characters of a text that count: the model need not read more. */
const TEXT_LENGTH = 200;
/** Skills that have a word at least, or it is left out unless the model knows it. */
const FEWEST = 8;
/** Below this share of skills a word counts fully; above, the less the more have it (S. Arora and others, 2017). */
const COMMON = 0.003;
const BATCH = 1024;

/**
 * Makes the table of word vectors out of the model for English and the descriptions of a catalogue.
 *
 * @param without ids of skills that it must not be fitted to: those that the hook is measured with
 */
export async function makeWordTable(catalogue: string, without: ReadonlySet<string>): Promise<Buffer> {
  const descriptions = new Set<string>();
  for (const [id, line] of await readRows(catalogue)) {
    if (without.has(id)) continue;
    const { name, description } = JSON.parse(line) as { readonly name: string; readonly description?: string };
    if (description) descriptions.add(`${name.replaceAll('-', ' ')}. ${description}`);
  }
  const skillsWith = new Map<string, number>();
  for (const text of descriptions) {
    for (const word of wordsIn(text)) skillsWith.set(word, (skillsWith.get(word) ?? 0) + 1);
  }
  const words = frequentWords(skillsWith);
  const places = new Map(words.map((word, place) => [word, place]));
  const random = randomNumbers(19);
  const texts = [...descriptions]
    .map((text) => ({ text: text.slice(0, TEXT_LENGTH), place: random() }))
    .sort((a, b) => a.place - b.place)
    .slice(0, TEXTS)
    .map(({ text }) => text);
  const embedder = await LocalEmbedder.start(await inspectModel(BUNDLED_MODEL), 2);
  try {
    const ofTexts = await embedAll(embedder, texts);
    const axes = principalAxes(ofTexts, embedder.dimensions, WORD_DIMENSIONS);
    const alone = projected(await embedAll(embedder, words), axes);
    for (const [place, word] of words.entries()) {
      const weight = COMMON / (COMMON + (skillsWith.get(word) ?? 0) / descriptions.size);
      for (let i = 0; i < WORD_DIMENSIONS; i++) alone[place * WORD_DIMENSIONS + i]! *= weight;
    }
    const vectors = fitWordVectors(alone, {
      words: texts.map((text) => [...wordsIn(text)].flatMap((word) => places.get(word) ?? [])),
      targets: projected(ofTexts, axes),
      length: WORD_DIMENSIONS,
    });
    return packWordTable(words, vectors);
  } finally {
    await embedder.close();
  }
}

/** The words that skills have most often, and in turn those that the model's vocabulary has first. */
function frequentWords(skillsWith: ReadonlyMap<string, number>): string[] {
  const isWord = (word: string): boolean => /^[a-z][a-z0-9]+$/.test(word);
  const { model } = JSON.parse(readFileSync(`${BUNDLED_MODEL}/tokenizer.json`, 'utf8')) as {
    readonly model: { readonly vocab: Readonly<Record<string, number>> };
  };
  const ofModel = Object.entries(model.vocab)
    .filter(([word]) => isWord(word))
    .sort(([, a], [, b]) => a - b);
  const ofSkills = [...skillsWith]
    .filter(([word, skills]) => skills >= FEWEST && isWord(word))
    .sort(([, a], [, b]) => b - a);
  const words = new Set<string>();
  for (let i = 0; words.size < WORDS && i < Math.max(ofModel.length, ofSkills.length); i++) {
    for (const list of [ofSkills, ofModel]) if (list[i] !== undefined) words.add(list[i]![0]);
  }
  return [...words].slice(0, WORDS);
}

/** One behind another, their mean taken off. */
async function embedAll(embedder: LocalEmbedder, texts: readonly string[]): Promise<Float32Array> {
  const { dimensions } = embedder;
  const all = new Float32Array(texts.length * dimensions);
  for (let i = 0; i < texts.length; i += BATCH) {
    const vectors = await embedder.embed(texts.slice(i, i + BATCH));
    for (const [k, vector] of vectors.entries()) all.set(vector, (i + k) * dimensions);
  }
  const mean = new Float64Array(dimensions);
  for (let i = 0; i < all.length; i++) mean[i % dimensions] = mean[i % dimensions]! + all[i]! / texts.length;
  return all.map((value, i) => value - mean[i % dimensions]!);
}

function projected(vectors: Float32Array, axes: readonly Float64Array[]): Float32Array {
  const length = axes[0]!.length;
  const count = vectors.length / length;
  const result = new Float32Array(count * axes.length);
  for (let v = 0; v < count; v++) {
    for (const [a, axis] of axes.entries()) {
      let sum = 0;
      for (let i = 0; i < length; i++) sum += axis[i]! * vectors[v * length + i]!;
      result[v * axes.length + a] = sum;
    }
  }
  return result;
}
