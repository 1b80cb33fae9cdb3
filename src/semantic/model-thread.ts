import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../core/index.js';
import { INSTALL_RUNTIME, prepareSentences, RUNTIME_PACKAGE } from './embedder.js';
import { readableScripts } from './languages.js';
import type { ModelThreadData, ModelThreadMessage, ModelThreadRequest } from './local-embedder.js';
import { importRuntime, loadModel, SentenceEncoder } from './onnx-model.js';

/** Fewest values of a vector of a model's folder. Fewer tell skills apart too badly. */
const MIN_MODEL_DIMENSIONS = 64;

/** Most values of a vector of a model's folder. Models with more take seconds for a question without an accelerator. */
const MAX_MODEL_DIMENSIONS = 1024;

/** Loads the model runtime and the model, then answers requests. */
async function main({ path, weights, settings, languages }: ModelThreadData): Promise<void> {
  const runtime = await importRuntime().catch((error) => {
    const message = `semantic search needs the package ${RUNTIME_PACKAGE}, which cannot be loaded: install it with \`${INSTALL_RUNTIME}\` (${messageOf(error).message})`;
    tell({ kind: 'failed', code: 'MODEL_RUNTIME_MISSING', message });
  });
  if (runtime === undefined) return;
  // The main thread takes questions apart, and must not wait for what that needs.
  prepareSentences();
  try {
    const model = await loadModel(runtime, { folder: path, weights, maxTokens: settings.maxTokens });
    const encoder = await SentenceEncoder.of(model, settings.pooling);
    const { dimensions } = await encoder.embed(['warm up']);
    checkDimensions(dimensions);
    const scripts = languages === undefined ? readableScripts(model.vocabulary()) : undefined;
    answerRequests(encoder);
    tell({ kind: 'ready', scripts, dimensions });
  } catch (error) {
    tell({
      kind: 'failed',
      code: 'MODEL_NOT_READABLE',
      message: `cannot load the model ${path}: ${messageOf(error).message}`,
    });
  }
}

function checkDimensions(dimensions: number): void {
  if (dimensions >= MIN_MODEL_DIMENSIONS && dimensions <= MAX_MODEL_DIMENSIONS) return;
  const range = `${MIN_MODEL_DIMENSIONS} to ${MAX_MODEL_DIMENSIONS.toLocaleString('en')}`;
  throw new Error(`its vectors have ${dimensions.toLocaleString('en')} values, and ${range} can be used`);
}

function answerRequests(encoder: SentenceEncoder): void {
  let queue = Promise.resolve();
  let closed = false;
  const answer = async (texts: readonly string[]): Promise<void> => {
    try {
      const began = performance.now();
      const { values, dimensions } = await encoder.embed(texts, () => closed);
      tell({ kind: 'vectors', values, dimensions, milliseconds: performance.now() - began }, [values.buffer]);
    } catch (error) {
      tell({ kind: 'error', message: messageOf(error).message });
    }
  };
  parentPort?.on('message', (request: ModelThreadRequest) => {
    if (request.kind === 'close') {
      closed = true;
      // Without its port the thread ends by itself after the text that it is embedding.
      parentPort?.close();
      return;
    }
    queue = queue.then(() => answer(request.texts));
  });
}

function tell(message: ModelThreadMessage, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}

// Not awaited: Node warns of a module that is still awaited when the process exits, as one in native code may be.
void main(workerData as ModelThreadData);
