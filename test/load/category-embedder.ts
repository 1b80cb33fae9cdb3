import { readClassifier, readClassifierData } from '../../src/semantic/classifier.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';

const classifier = readClassifier();
const data = readClassifierData();

/** Vectors that the classifier reads as one of two categories, or as none. */
export class CategoryEmbedder extends StandInEmbedder {
  constructor(model = classifier.model, dimensions = 384) {
    super(model, dimensions);
  }

  override async embed(texts: readonly string[]): Promise<Float32Array[]> {
    return texts.map((text) =>
      unitVector(text.includes('pytest') ? 'testing' : text.includes('git') ? 'git-workflows' : ''),
    );
  }
}

/** The direction in which the vector speaks for a category more than for all others, or for none. */
function unitVector(category: string): Float32Array {
  const { categories, dimensions, vectorWeights } = data;
  const own = categories.indexOf(category);
  const vector = new Float32Array(dimensions);
  for (const number of categories.keys()) {
    const share = number === own ? 1 : -1 / categories.length;
    for (let i = 0; i < dimensions; i++) vector[i]! += share * vectorWeights[number * dimensions + i]!;
  }
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
