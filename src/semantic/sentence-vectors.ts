import type { FeatureExtractionPipeline, Tensor } from '@huggingface/transformers';
import type { ModelSettings } from './settings/model-settings.js';

/** Embeds one text. */
export type SentenceVectors = (text: string) => Promise<Tensor>;

/**
 * How a model's output becomes the vector of a text, of unit length.
 *
 * @param model that is loaded
 * @throws {Error} if the model has no output that the settings ask for
 */
export function sentenceVectors(
  model: FeatureExtractionPipeline,
  { pooling, maxTokens }: Pick<ModelSettings, 'pooling' | 'maxTokens'>,
): SentenceVectors {
  // The runtime cuts texts at this length, which it else takes from the tokenizer's configuration.
  if (maxTokens !== undefined) Object.defineProperty(model.tokenizer, 'model_max_length', { value: maxTokens });
  const outputs = model.model.sessions['model']?.outputNames ?? [];
  const hasTokens = outputs.includes('last_hidden_state') || outputs.includes('token_embeddings');
  const hasSentence = outputs.includes('sentence_embedding');
  if (pooling !== 'sentence_embedding' && hasTokens) return (text) => model(text, { pooling, normalize: true });
  if (hasSentence) return (text) => sentenceOutput(model, text);
  const needed = pooling === 'sentence_embedding' ? pooling : 'last_hidden_state or sentence_embedding';
  throw new Error(`it has the outputs ${outputs.join(', ')}, and ${needed} is needed`);
}

async function sentenceOutput({ tokenizer, model }: FeatureExtractionPipeline, text: string): Promise<Tensor> {
  const outputs = await model(tokenizer(text, { truncation: true }));
  return outputs['sentence_embedding']!.normalize(2, -1);
}
