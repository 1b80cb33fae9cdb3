import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { anyOf, hasCode, isInside, type SkillSearchError } from '../core/index.js';
import { type BuildOptions, buildCatalogue, type CataloguePlace, type LoadReport } from '../load/index.js';
import type { ChosenModel } from '../semantic/index.js';
import type { WatchedChange, WatchProblem } from './index.js';
import { KeptModel } from './kept-model.js';
import { type Changes, GatheredChanges, planLoad, type SourceChanges } from './plan-load.js';
import { Retries } from './shared-watch.js';
import type { SourceListener, WatchedSource } from './watched-sources.js';

/** Milliseconds between two looks whether the sources are still there. */
const LOOK_INTERVAL = 1000;

/** Milliseconds to wait for the load of another program before the next attempt. */
const LOAD_WAIT = 200;

/**
 * Texts that are embedded before a load stores their vectors, at most. More are embedded by a load, which stores as it
 * goes, but keeps others from loading for minutes.
 */
const MOST_PREPARED = 20_000;

/** Milliseconds before such a load. */
const PAUSE_BEFORE_MANY = 2000;

/** Milliseconds that changes wait for vectors after these had to give way to changes once, and the most. */
const FIRST_PATIENCE = 1000;
const MOST_PATIENCE = 10_000;

/** Origin of warnings that say which skills could not be classified. */
const CATEGORIES = 'categories';

/** The options of a watch for each of its loads. */
export type WatchedLoad = Omit<BuildOptions, 'sources' | 'prune' | 'model' | 'embedder' | 'signal'>;

/** What a watch needs. */
export interface WatchParts {
  /** Where the catalogue is that is watched for. */
  readonly place: CataloguePlace;
  readonly load: WatchedLoad;
  /** Makes vectors; undefined if none are wanted. */
  readonly model: ChosenModel | undefined;
  /** A catalogue whose vectors the first load takes. */
  readonly vectorsFrom?: string | undefined;
  readonly quiet: number;
  readonly longestWait: number;
  readonly onChange: (change: WatchedChange) => void;
  readonly onProblem: (problem: WatchProblem) => void;
}

/**
 * Loads what changes in watched sources, one load at a time: first the words of everything that has changed, and when
 * nothing more changes the vectors. A change stops the making of vectors; those that are made are kept. Where changes
 * never end they wait for vectors, each time longer than the time before, so that vectors are made in the end.
 */
export class RunningWatch implements SourceListener {
  readonly #parts: WatchParts;
  readonly #sources: readonly WatchedSource[];
  readonly #gathered: GatheredChanges<WatchedSource>;
  readonly #closing = new AbortController();
  readonly #retries: Retries;
  readonly #model: KeptModel | undefined;
  #looking: NodeJS.Timeout | undefined;
  /** Sources that are being looked at. */
  readonly #lookedAt = new Set<WatchedSource>();
  #isDue = false;
  /** Until the first load has ended, changes wait: it would be in the way of theirs. */
  #hasLoaded = false;
  #working: Promise<void> | undefined;
  /** What the last load has rejected, and which sources failed. */
  #faults = '';
  /** False once it turns out that vectors cannot be made. */
  #makesVectors: boolean;
  /** Since when words are loaded whose vectors are not made. */
  #withoutVectorsSince: number | undefined;
  /** Milliseconds that changes wait for vectors. */
  #patience = 0;
  /** Stops the making of vectors, when changes have waited for it. */
  #stopVectors: (() => void) | undefined;

  /** @param sourcesFor makes what is watched */
  constructor(parts: WatchParts, sourcesFor: (listener: SourceListener) => readonly WatchedSource[]) {
    this.#parts = parts;
    this.#sources = sourcesFor(this);
    this.#retries = new Retries(this.#closing.signal);
    this.#model = parts.model === undefined ? undefined : new KeptModel(parts.model);
    this.#makesVectors = parts.model !== undefined;
    this.#gathered = new GatheredChanges({ quiet: parts.quiet, longest: parts.longestWait }, () => {
      this.#isDue = true;
      this.#stopVectors?.();
      this.#work();
    });
  }

  /**
   * Watches the sources, and then loads them: nothing is missed between.
   *
   * @throws what the load throws; then the watch is closed
   */
  async start(): Promise<void> {
    try {
      const started = performance.now();
      await Promise.all(this.#sources.map((source) => source.start()));
      this.#closing.signal.throwIfAborted();
      this.#looking = setInterval(() => this.#look(), LOOK_INTERVAL);
      while (!(await this.#loadFirst(started)));
      this.#retries.succeeded();
      this.#hasLoaded = true;
      this.#work();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the watch was closed'));
    clearInterval(this.#looking);
    this.#gathered.close();
    for (const source of this.#sources) source.close();
    await this.#working;
    await this.#model?.close();
  }

  onPath(source: WatchedSource, path: string): void {
    const { place } = this.#parts;
    if (this.#closing.signal.aborted || isOwnFile(path, place.path, place.folder)) return;
    this.#gathered.add(source, path);
  }

  onEverything(source: WatchedSource): void {
    if (!this.#closing.signal.aborted) this.#gathered.addEverything(source);
  }

  onProblem(problem: WatchProblem): void {
    if (!this.#closing.signal.aborted) this.#parts.onProblem(problem);
  }

  #look(): void {
    for (const source of this.#sources) {
      if (this.#lookedAt.has(source)) continue;
      this.#lookedAt.add(source);
      // What could not be looked at is looked at again. The others do not wait for it.
      const done = (): unknown => this.#lookedAt.delete(source);
      source.look().then(done, done);
    }
  }

  /** @returns false if another program loads, and it is to be tried again */
  async #loadFirst(started: number): Promise<boolean> {
    const { place, model, vectorsFrom } = this.#parts;
    try {
      if (model !== undefined && vectorsFrom !== undefined) {
        const { lendVectors } = await import('../store/writing.js');
        lendVectors(place.path, vectorsFrom, model.id);
      }
      await this.#loadWords(everythingOf(this.#sources), started, true);
      return true;
    } catch (error) {
      if (!hasCode(error, 'LOAD_IN_PROGRESS')) throw error;
      await this.#waitForOther();
      return false;
    }
  }

  /** Starts to work unless that is running. */
  #work(): void {
    if (this.#closing.signal.aborted || !this.#hasLoaded) return;
    this.#working ??= this.#loadUntilDone().finally(() => {
      this.#working = undefined;
    });
  }

  async #loadUntilDone(): Promise<void> {
    const { signal } = this.#closing;
    /** Whether vectors get their turn though changes wait. */
    let areVectorsNext = false;
    while (!signal.aborted) {
      if (this.#withoutVectorsSince !== undefined && (areVectorsNext || !this.#isDue)) {
        await this.#loadVectors();
        areVectorsNext = false;
      } else if (this.#isDue) {
        await this.#loadGathered();
        areVectorsNext = this.#patience > 0;
      } else {
        return;
      }
    }
  }

  async #loadGathered(): Promise<void> {
    const firstAt = this.#gathered.firstAt ?? performance.now();
    this.#isDue = false;
    const taken = this.#gathered.take();
    const changes = existsSync(this.#parts.place.path) ? await ofSameSources(taken) : everythingOf(this.#sources);
    try {
      await this.#loadWords(changes, firstAt, false);
      this.#retries.succeeded();
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      this.#gathered.putBack(changes, firstAt);
      await this.#waitAfter(error);
    }
  }

  /** Loads what has changed, without vectors. Sources lose what is no longer in them. */
  async #loadWords(changes: Changes, firstAt: number, isFirst: boolean): Promise<void> {
    const { signal } = this.#closing;
    const { whole, parts } = await planLoad(changes, this.#sources, this.#parts.load.followLinks === true);
    if (parts.size === 0) return;
    signal.throwIfAborted();
    const options = { ...this.#parts.load, semantic: false, signal };
    const { updateSources } = await import('../load/writing.js');
    const loaded = whole
      ? await buildCatalogue({ ...options, sources: [...parts.keys()].map(({ toLoad }) => toLoad), prune: true })
      : await updateSources({
          ...options,
          changed: [...parts].map(([{ toLoad: source }, folders]) => ({ source, folders })),
        });
    // What has no vector yet is classified when it has one.
    const report = this.#parts.load.semantic === false ? loaded : withoutWarnings(CATEGORIES, loaded);
    if (this.#makesVectors && (isFirst || report.added + report.updated > 0)) this.#withoutVectorsSince ??= firstAt;
    // What is rejected by load after load is told once.
    const faults = JSON.stringify([report.rejected, report.failed]);
    const isNews = report.rejected.length + report.failed.length > 0 && faults !== this.#faults;
    this.#faults = faults;
    if (isFirst || hasChanged(report) || isNews) this.#tell('words', whole, report, firstAt);
  }

  async #loadVectors(): Promise<void> {
    const firstAt = this.#withoutVectorsSince!;
    const began = performance.now();
    const stop = new AbortController();
    const { signal, end } = anyOf([this.#closing.signal, stop.signal]);
    this.#stopVectors = () => {
      const give = (): void => stop.abort(new Error('something changed'));
      const left = this.#patience - (performance.now() - began);
      if (left <= 0) give();
      else setTimeout(give, left).unref();
    };
    if (this.#isDue) this.#stopVectors();
    try {
      const report = await this.#embed(signal);
      this.#withoutVectorsSince = undefined;
      this.#patience = 0;
      this.#retries.succeeded();
      if (report !== undefined && hasChanged(report)) this.#tell('vectors', false, report, firstAt);
    } catch (error) {
      if (stop.signal.aborted) this.#patience = Math.min(MOST_PATIENCE, Math.max(FIRST_PATIENCE, this.#patience * 2));
      if (signal.aborted) return;
      if (!this.#isOptional(error)) return await this.#waitAfter(error);
      this.#makesVectors = false;
      this.#withoutVectorsSince = undefined;
      this.#parts.onProblem({ kind: 'no-vectors', message: `no vectors are made: ${error.message}`, error });
    } finally {
      end();
      this.#stopVectors = undefined;
    }
  }

  /** @returns undefined if no text lacks a vector */
  async #embed(signal: AbortSignal): Promise<LoadReport | undefined> {
    const { place, load } = this.#parts;
    const model = this.#model!;
    const { embedMissing, textsWithoutVector } = await import('../load/writing.js');
    // A replica that was deleted is made again by the load.
    const isThere = place.folder === undefined || existsSync(place.path);
    const texts = isThere ? textsWithoutVector(place.path, model.model, MOST_PREPARED) : undefined;
    // A follower of the catalogue opens a state while no load is running. So it comes to see the words.
    if (texts === undefined) await this.#retries.waitFor(PAUSE_BEFORE_MANY);
    else await model.prepare(texts, signal);
    signal.throwIfAborted();
    if (texts?.length === 0) return undefined;
    // To store what is prepared takes no longer than to load words.
    const storing = texts === undefined ? signal : this.#closing.signal;
    const report = await embedMissing({ ...load, embedder: model, signal: storing });
    model.forget();
    return report;
  }

  /** Whether an error says that the model runtime, which is optional, is missing, and vectors were not asked for. */
  #isOptional(error: unknown): error is SkillSearchError {
    const { load, model } = this.#parts;
    return hasCode(error, 'MODEL_RUNTIME_MISSING') && load.semantic !== true && model?.named !== true;
  }

  #tell(kind: WatchedChange['kind'], whole: boolean, report: LoadReport, since: number): void {
    this.#parts.onChange({ kind, whole, report, milliseconds: performance.now() - since });
  }

  /** Tells of a load that failed, and waits before the next attempt. */
  async #waitAfter(error: unknown): Promise<void> {
    if (this.#closing.signal.aborted) return;
    if (hasCode(error, 'LOAD_IN_PROGRESS')) {
      await this.#waitForOther();
      return;
    }
    const reason = error instanceof Error ? error.message : String(error);
    const message = `a load failed, and is tried again in ${this.#retries.seconds} s: ${reason}`;
    this.#parts.onProblem({ kind: 'load-failed', message, error });
    await this.#retries.wait();
  }

  async #waitForOther(): Promise<void> {
    if (this.#retries.isFirstWait()) {
      const message = `somebody else loads into ${this.#parts.place.shown}: changes wait until that has ended`;
      this.#parts.onProblem({ kind: 'load-waits', message });
    }
    await this.#retries.waitFor(LOAD_WAIT);
  }
}

function everythingOf(sources: readonly WatchedSource[]): Changes {
  return new Map(sources.map((source) => [source, { paths: new Set<string>(), everything: true }]));
}

/**
 * Leaves out what came from a folder that another one has replaced, as when a drive is unmounted: nothing in it is
 * gone. The next look reads the other one.
 */
async function ofSameSources(taken: Changes): Promise<Changes> {
  const same = new Map<WatchedSource, SourceChanges>();
  for (const [source, changes] of taken) {
    if (changes.everything || (await source.isSame())) same.set(source, changes);
  }
  return same;
}

/** What SQLite keeps beside a database while it writes. */
const BESIDE_DATABASES = /-(?:journal|wal|shm)$/;

/**
 * Whether a path is the catalogue, or a file that is derived from it, made by a load or by SQLite: what a watch causes
 * itself. They may lie in a watched folder.
 *
 * @param database absolute and without links, as is the path
 * @param folder of a replica, where all that is in it belongs to the catalogue; likewise
 */
function isOwnFile(path: string, database: string, folder?: string): boolean {
  if (folder !== undefined && isInside(path, folder)) return true;
  const name = basename(path);
  if (BESIDE_DATABASES.test(name)) return true;
  const own = basename(database);
  return dirname(path) === dirname(database) && (name === own || name.startsWith(`${own}.`));
}

function hasChanged({ added, updated, removed, embedded, classified }: LoadReport): boolean {
  return added + updated + removed + embedded + classified > 0;
}

function withoutWarnings(origin: string, report: LoadReport): LoadReport {
  const warnings = report.warnings.filter((warning) => warning.origin !== origin);
  return { ...report, warnings, warningCount: report.warningCount - report.warnings.length + warnings.length };
}
