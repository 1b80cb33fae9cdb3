import { parentPort, workerData } from 'node:worker_threads';
import { INSTALL_RUNTIME, prepareSentences, RUNTIME_PACKAGE } from './embedder.js';
import { readableScripts, type Script } from './languages.js';
import type { ModelThreadData, ModelThreadMessage, ModelThreadRequest } from './local-embedder.js';
import {
  importRuntime,
  OnnxModel,
  type Runtime,
  type SentenceVectors,
  sentenceVectors,
  TokenBatches,
  type Vectors,
} from './onnx-model.js';

/** Fewest values of a vector of a model's folder. Fewer tell skills apart too badly. */
const MIN_MODEL_DIMENSIONS = 64;

/** Most values of a vector of a model's folder. Models with more take seconds for a question without an accelerator. */
const MAX_MODEL_DIMENSIONS = 1024;

/** Loads the model runtime and the model, then answers requests. */
async function main({ path, weights, settings, languages }: ModelThreadData): Promise<void> {
  const runtime = await runtimeOrFailure();
  if (runtime === undefined) return;
  // The main thread takes questions apart, and must not wait for what that needs.
  prepareSentences();
  let model: SentenceVectors | TokenBatches;
  let scripts: readonly Script[] | undefined;
  let dimensions: number;
  try {
    const loaded = await OnnxModel.load(runtime, { folder: path, weights, maxTokens: settings.maxTokens });
    const each = sentenceVectors(loaded, settings);
    model = (settings.pooling === 'mean' ? await TokenBatches.of(loaded) : undefined) ?? each;
    ({ dimensions } = await embed(model, ['warm up'], () => false));
    checkDimensions(dimensions);
    if (languages === undefined) scripts = readableScripts(loaded.vocabulary());
  } catch (error) {
    tell({ kind: 'failed', code: 'MODEL_NOT_READABLE', message: `cannot load the model ${path}: ${reason(error)}` });
    return;
  }
  let queue = Promise.resolve();
  let closed = false;
  parentPort?.on('message', (request: ModelThreadRequest) => {
    if (request.kind === 'close') {
      closed = true;
      // Without its port the thread ends by itself after the text that it is embedding.
      parentPort?.close();
      return;
    }
    queue = queue.then(() => answer(model, request.texts, () => closed));
  });
  tell({ kind: 'ready', scripts, dimensions });
}

function checkDimensions(dimensions: number): void {
  if (dimensions >= MIN_MODEL_DIMENSIONS && dimensions <= MAX_MODEL_DIMENSIONS) return;
  const range = `${MIN_MODEL_DIMENSIONS} to ${MAX_MODEL_DIMENSIONS.toLocaleString('en')}`;
  throw new Error(`its vectors have ${dimensions.toLocaleString('en')} values, and ${range} can be used`);
}

async function runtimeOrFailure(): Promise<Runtime | undefined> {
  try {
    return await importRuntime();
  } catch (error) {
    const message = `semantic search needs the package ${RUNTIME_PACKAGE}, which cannot be loaded: install it with \`${INSTALL_RUNTIME}\` (${reason(error)})`;
    tell({ kind: 'failed', code: 'MODEL_RUNTIME_MISSING', message });
    return undefined;
  }
}

async function answer(
  model: SentenceVectors | TokenBatches,
  texts: readonly string[],
  stopped: () => boolean,
): Promise<void> {
  try {
    const began = performance.now();
    const { values, dimensions } = await embed(model, texts, stopped);
    tell({ kind: 'vectors', values, dimensions, milliseconds: performance.now() - began }, [values.buffer]);
  } catch (error) {
    tell({ kind: 'error', message: reason(error) });
  }
}

/**
 * Embeds texts; one at a time with models that only the runtime itself knows how to ask.
 *
 * @param stopped whether to leave out the remaining texts
 */
async function embed(
  model: SentenceVectors | TokenBatches,
  texts: readonly string[],
  stopped: () => boolean,
): Promise<Vectors> {
  if (model instanceof TokenBatches) return model.embed(texts, stopped);
  let values = new Float32Array();
  let dimensions = 0;
  for (const [i, text] of texts.entries()) {
    if (stopped()) break;
    const vector = await model(text);
    if (i === 0) {
      dimensions = vector.length;
      values = new Float32Array(dimensions * texts.length);
    }
    values.set(vector, i * dimensions);
  }
  return { values, dimensions };
}

function tell(message: ModelThreadMessage, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// Not awaited: Node warns of a module that is still awaited when the process exits, as one in native code may be.
void main(workerData as ModelThreadData);
