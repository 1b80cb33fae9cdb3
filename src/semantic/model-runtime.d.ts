/**
 * The part of the model runtime that this library uses. The package is optional: where npm leaves it out, with its
 * types, this library is built all the same.
 */
declare module 'onnxruntime-node' {
  export const env: { logLevel: 'error' };

  export class Tensor {
    constructor(type: string, data: unknown, dims: readonly number[]);
    readonly data: unknown;
    readonly dims: readonly number[];
    readonly type: string;
  }

  export interface InferenceSession {
    readonly inputNames: readonly string[];
    readonly outputNames: readonly string[];
    /** In the order of the names. Axes without a fixed size have a name. */
    readonly inputMetadata: readonly {
      readonly name: string;
      readonly type?: string;
      readonly shape?: readonly (number | string)[];
    }[];
    run(
      inputs: Readonly<Record<string, Tensor>>,
      outputs: readonly string[],
    ): Promise<Readonly<Record<string, Tensor>>>;
  }

  export const InferenceSession: {
    create(
      model: string | Uint8Array,
      options: {
        readonly executionProviders: readonly ['cpu'];
        readonly intraOpNumThreads?: number;
        readonly interOpNumThreads?: number;
        /** 3 tells errors only. */
        readonly logSeverityLevel: 3;
      },
    ): Promise<InferenceSession>;
  };
}
