import { allPieces, topOf } from '../../src/core/index.js';
import type { RankedDocument } from '../../src/evaluation/index.js';
import type { Embedder } from '../../src/index.js';
import { placesOf } from '../../src/search/nearest-documents.js';
import { CatalogueReader, NO_VECTOR } from '../../src/store/read/catalogue-reader.js';
import type { DocumentedEngine } from './engine.js';

/**
 * A model alone, as most tools take it: skills in the order of their cosines with the question, all of them computed. The
 * vectors are those of the catalogue.
 *
 * @param database catalogue with vectors of the model
 * @param embedder the model; it is closed with the engine
 * @throws where the vectors are those of another model
 */
export async function modelOver(database: string, embedder: Embedder): Promise<DocumentedEngine> {
  const reader = CatalogueReader.open(database);
  const { model = 'no model' } = reader.vectors;
  if (model !== embedder.model) {
    reader.close();
    throw new Error(`${database} has vectors of ${model}, not of ${embedder.model}`);
  }
  const { keys, dimensions, values } = await reader.vectors.all();
  const places = allPieces(placesOf(await reader.vectorNumbers(), keys));
  const documents = [...places.keys()].filter((document) => places[document] !== NO_VECTOR);
  const cosines = new Float64Array(keys.length);

  const search = async (q: string, limit: number): Promise<RankedDocument[]> => {
    const [question] = (await embedder.embed([q], { purpose: 'question' })) as [Float32Array];
    for (let place = 0; place < keys.length; place++) {
      let sum = 0;
      const start = place * dimensions;
      for (let i = 0; i < dimensions; i++) sum += (question[i] as number) * (values[start + i] as number);
      cosines[place] = sum;
    }
    const cosineOf = (document: number): number => cosines[places[document] as number] as number;
    const best = topOf(documents, (a, b) => cosineOf(b) - cosineOf(a) || a - b, 0, limit);
    const ids = reader.idsOf(best);
    return best.map((document, i) => ({ id: ids[i] as string, score: cosineOf(document) }));
  };
  const close = async (): Promise<void> => {
    await embedder.close?.();
    reader.close();
  };
  return { search, close };
}
