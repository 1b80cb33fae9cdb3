import type { SourceItem } from '../sources/index.js';
import { Turns } from '../sources/index.js';
import type { CatalogueWriter } from '../store/index.js';
import type { Ingest } from './ingest.js';
import type { FailedSource } from './load-report.js';
import type { OpenableSource } from './open-sources.js';
import type { Progress } from './progress.js';

const PROGRESS_INTERVAL_MS = 100;

/** Rows after which the event loop gets a turn, even if they took no time. */
const ROWS_A_TURN = 1000;

/** What a load found of its sources as a whole. */
export interface SourcesRead {
  /** Sources that broke while they were read. */
  readonly failed: readonly FailedSource[];
  /** Names of sources without a skill, if nobody can tell whether that is as it should be. */
  readonly empty: readonly string[];
}

/**
 * Reads all sources, one after the other. A source that breaks does not stop the load.
 *
 * @throws the signal's reason when aborted, and errors of the store
 */
export async function readSources(
  sources: readonly OpenableSource[],
  ingest: Ingest,
  writer: CatalogueWriter,
  progress: Progress,
  signal: AbortSignal | undefined,
): Promise<SourcesRead> {
  const failed: FailedSource[] = [];
  const empty: string[] = [];
  let bytesBefore = 0;
  const turns = new Turns(ROWS_A_TURN);
  for (const source of sources) {
    const skillsBefore = ingest.skills;
    let bytesRead = bytesBefore;
    let lastReport = 0;
    const report = (): void => {
      lastReport = performance.now();
      progress.report('reading', { source: source.name, bytesRead });
    };
    const items = source.read({
      onBytes: (read) => {
        bytesRead = bytesBefore + read;
      },
      isKnown: (fingerprint) => writer.isKnown(fingerprint, source.key),
    });
    const onFailure = ({ message }: Error): unknown => failed.push({ origin: source.name, reason: message });
    for await (const item of untilFailure(items, signal, onFailure)) {
      signal?.throwIfAborted();
      const waiting = ingest.take(item, source.key);
      if (waiting !== undefined) await waiting;
      if (performance.now() - lastReport > PROGRESS_INTERVAL_MS) report();
      if (turns.isDue()) await turns.take();
    }
    report();
    if (ingest.skills === skillsBefore && source.isEmpty?.() !== true) empty.push(source.name);
    bytesBefore += source.bytes;
  }
  return { failed, empty };
}

/** The items of a source until it breaks. Does not catch errors of the code that takes the items. */
async function* untilFailure(
  items: AsyncIterable<SourceItem>,
  signal: AbortSignal | undefined,
  onFailure: (error: Error) => unknown,
): AsyncGenerator<SourceItem> {
  try {
    yield* items;
  } catch (error) {
    if (signal?.aborted === true || !(error instanceof Error)) throw error;
    onFailure(error);
  }
}
