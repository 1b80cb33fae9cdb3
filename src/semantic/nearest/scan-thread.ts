import { parentPort, workerData } from 'node:worker_threads';
import { scanCodes } from './exact-scan.js';
import type { VectorCodes } from './vector-codes.js';

export interface ScanRequest {
  readonly query: Float32Array;
  readonly k: number;
  readonly mask: Uint8Array | undefined;
}

const codes = workerData as VectorCodes;

parentPort?.on('message', ({ query, k, mask }: ScanRequest) => {
  parentPort?.postMessage(scanCodes(codes, query, k, mask));
});
