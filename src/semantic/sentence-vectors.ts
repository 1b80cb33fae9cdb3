import type { ModelSettings, Pooling } from './settings/model-settings.js';
import type { ModelOutput, TextModel } from './text-model.js';

/** Embeds one text. */
export type SentenceVectors = (text: string) => Promise<Float32Array<ArrayBuffer>>;

/**
 * How a model's output becomes the vector of a text, of unit length.
 *
 * @throws {Error} if the model has no output that the settings ask for
 */
export function sentenceVectors(model: TextModel, { pooling }: Pick<ModelSettings, 'pooling'>): SentenceVectors {
  const { outputs } = model;
  const ofTokens = outputs.find((name) => name !== 'sentence_embedding');
  if (pooling !== 'sentence_embedding' && ofTokens !== undefined) {
    return async (text) => unit(POOLED[pooling]((await run(model, text))[ofTokens]!));
  }
  if (outputs.includes('sentence_embedding')) {
    return async (text) => unit((await run(model, text)).sentence_embedding!.data.slice());
  }
  const needed = pooling === 'sentence_embedding' ? pooling : 'last_hidden_state or sentence_embedding';
  throw new Error(`it has the outputs ${outputs.join(', ')}, and ${needed} is needed`);
}

function run(model: TextModel, text: string): ReturnType<TextModel['run']> {
  const tokens = model.tokensOf(text);
  return model.run([tokens], tokens.length);
}

const POOLED: Readonly<Record<Pooling, (output: ModelOutput) => Float32Array<ArrayBuffer>>> = {
  mean,
  cls: ({ data, dims }) => data.slice(0, dims.at(-1)),
  last_token: ({ data, dims }) => data.slice(-dims.at(-1)!),
};

function mean({ data, dims }: ModelOutput): Float32Array<ArrayBuffer> {
  const dimensions = dims.at(-1)!;
  const count = data.length / dimensions;
  const values = new Float32Array(dimensions);
  for (let d = 0; d < dimensions; d++) {
    let sum = 0;
    for (let at = d; at < data.length; at += dimensions) sum += data[at]!;
    values[d] = sum / count;
  }
  return values;
}

/** Gives a vector unit length, in its place. Sums in single precision, as the vectors that are stored were made. */
function unit(vector: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer> {
  const norm = new Float32Array(1);
  for (const value of vector) norm[0] = norm[0]! + value ** 2;
  norm[0] = norm[0]! ** 0.5;
  return vector.map((value) => value / norm[0]!);
}
