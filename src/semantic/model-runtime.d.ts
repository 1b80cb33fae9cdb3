/**
 * The part of the model runtime that this library uses. The package is optional: where npm leaves it out, with its
 * types, this library is built all the same.
 */
declare module '@huggingface/transformers' {
  export const env: {
    allowRemoteModels: boolean;
    localModelPath: string;
    useFSCache: boolean;
    useBrowserCache: boolean;
    useWasmCache: boolean;
  };

  export class Tensor {
    constructor(type: 'int64', data: BigInt64Array, shape: readonly number[]);
    readonly data: unknown;
    normalize(p: number, dimension: number): Tensor;
    dispose(): void;
  }

  export interface FeatureExtractionPipeline {
    (
      texts: string | string[],
      options: { readonly pooling: 'mean' | 'cls' | 'last_token'; readonly normalize: boolean },
    ): Promise<Tensor>;
    readonly tokenizer: {
      (
        text: string,
        options: { readonly truncation: boolean; readonly return_tensor: false },
      ): { readonly input_ids: readonly number[] };
      (text: string, options: { readonly truncation: boolean }): object;
      /** Tokens that texts are cut at. */
      readonly model_max_length: number;
    };
    readonly model: {
      (inputs: object): Promise<Readonly<Record<string, Tensor>>>;
      readonly sessions: Readonly<
        Record<
          string,
          {
            readonly inputNames: readonly string[];
            readonly outputNames: readonly string[];
            /** Axes without a fixed size have a name. */
            readonly inputMetadata?: readonly { readonly shape?: readonly (number | string)[] }[];
          }
        >
      >;
    };
  }

  export function pipeline(
    task: 'feature-extraction',
    model: string,
    options: {
      readonly dtype: 'fp32' | 'fp16' | 'q8' | 'int8' | 'uint8';
      readonly device: 'cpu';
      readonly local_files_only?: boolean;
      readonly session_options?: Readonly<Record<string, unknown>>;
    },
  ): Promise<FeatureExtractionPipeline>;
}
