import type { VectorExchange } from '../indexing/index.js';
import type { ChosenModel } from '../semantic/index.js';
import type { EmbeddedText, EmbeddingSink, LoadVectors, TextToEmbed } from '../store/index.js';
import { embedOrWarn } from './derive.js';
import type { BuildOptions } from './load-options.js';
import { ReportBuilder } from './reports.js';

/** Texts that a small change leaves without a vector, and what the vectors are to be of. */
export interface LackingTexts {
  readonly texts: readonly TextToEmbed[];
  /** Id of the model whose vectors the catalogue has, and their length. */
  readonly model: string;
  readonly dimensions: number | undefined;
}

/**
 * The vectors of a small change that is tried: they are made between two tries, because nobody else can change the
 * catalogue during one.
 */
export class VectorsOfChange {
  readonly report: ReportBuilder;
  readonly #asked = new Set<string>();
  readonly #made = new Map<string, EmbeddedText>();
  #embedded = 0;

  constructor(options: Pick<BuildOptions, 'onProgress'>) {
    this.report = new ReportBuilder(options);
  }

  /** Vectors that were made, and not taken from others. */
  get embedded(): number {
    return this.#embedded;
  }

  /**
   * Stores those that are there.
   *
   * @param vectors of the change, whose catalogue has vectors of the model
   * @returns the texts whose vectors were not asked for yet; undefined if there are none
   */
  putInto(vectors: EmbeddingSink, model: string): LackingTexts | undefined {
    const lacking = vectors.useModel(model).map((skill) => vectors.textToEmbed(skill));
    const made = lacking.map(({ textHash }) => this.#made.get(keyOf(textHash))).filter((one) => one !== undefined);
    if (made.length > 0) vectors.putVectors(made);
    const texts = lacking.filter(({ textHash }) => !this.#asked.has(keyOf(textHash)));
    return texts.length === 0 ? undefined : { texts, model, dimensions: vectors.dimensions };
  }

  /**
   * Takes vectors that others have made, and makes the rest if there is a model.
   *
   * @throws as `embedOrWarn`
   */
  async make(
    { texts, model, dimensions }: LackingTexts,
    chosen: ChosenModel | undefined,
    options: Pick<BuildOptions, 'semantic' | 'signal'>,
    exchange: VectorExchange,
  ): Promise<void> {
    for (const { textHash } of texts) this.#asked.add(keyOf(textHash));
    const sink: EmbeddingSink & Pick<LoadVectors, 'modelBefore'> = {
      modelBefore: model,
      dimensions,
      useModel: () => texts.map((_, i) => i),
      textToEmbed: (i) => texts[i]!,
      putVectors: (vectors) => {
        for (const vector of vectors) this.#made.set(keyOf(vector.textHash), vector);
      },
    };
    this.#embedded += await embedOrWarn(sink, chosen, this.report, options, exchange);
  }
}

function keyOf(hash: Buffer): string {
  return hash.toString('hex');
}
