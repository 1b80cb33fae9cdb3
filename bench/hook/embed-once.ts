import type { Embedder } from '../../src/index.js';
import { BUNDLED_MODEL, inspectModel } from '../../src/semantic/index.js';
import { startModel } from '../../src/semantic/routed-embedder.js';

/** The included model, which embeds each text once: many homes have the same skills, and are asked the same. */
export async function embedOnce(): Promise<Embedder> {
  const model = await startModel(await inspectModel(BUNDLED_MODEL), 2);
  const known = new Map<string, Float32Array>();
  return {
    model: model.model,
    async embed(texts, options = {}) {
      const keyOf = (text: string): string => `${options.purpose ?? 'document'} ${text}`;
      const fresh = [...new Set(texts)].filter((text) => !known.has(keyOf(text)));
      const vectors = fresh.length === 0 ? [] : await model.embed(fresh, options);
      for (const [i, text] of fresh.entries()) known.set(keyOf(text), vectors[i]!);
      return texts.map((text) => known.get(keyOf(text))!.slice());
    },
    readableShare: (question) => model.readableShare?.(question) ?? 1,
    readsLanguage: (language) => model.readsLanguage?.(language) ?? true,
    close: async () => model.close?.(),
  };
}
