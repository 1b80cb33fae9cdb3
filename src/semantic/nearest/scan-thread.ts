import { parentPort, workerData } from 'node:worker_threads';
import { allPieces } from '../../core/index.js';
import type { VectorCodes } from './vector-codes.js';
import { scanCodes } from './vector-codes.js';

/** The parameters of {@link scanCodes}. */
export interface ScanRequest {
  readonly question: Float32Array;
  readonly k: number;
  readonly mask: Uint8Array | undefined;
}

const codes = workerData as VectorCodes;

parentPort?.on('message', ({ question, k, mask }: ScanRequest) => {
  parentPort?.postMessage(allPieces(scanCodes(codes, question, k, mask)));
});
