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

  export interface Tensor {
    readonly data: unknown;
    dispose(): void;
  }

  export type FeatureExtractionPipeline = (
    texts: string | string[],
    options: { readonly pooling: 'mean'; readonly normalize: boolean },
  ) => Promise<Tensor>;

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
