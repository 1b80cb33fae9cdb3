import { existsSync } from 'node:fs';
import { anyOf, SkillSearchError } from '../core/index.js';
import type { CataloguePlace, LoadReport } from '../load/index.js';
import type { ChosenModel } from '../semantic/index.js';
import { GatheredChanges, type SourceChanges } from './gathered-changes.js';
import { KeptModel } from './kept-model.js';
import { loadChanges, loadVectors, type WatchedLoad } from './load-changes.js';
import { isOwnFile } from './own-files.js';
import { type Changes, missingPaths, planLoad } from './plan-load.js';
import { Retries } from './retries.js';
import type { WatchedChange, WatchProblem } from './watch-options.js';
import type { SourceListener, WatchedSource } from './watched-source.js';

/** Milliseconds between two looks whether the sources are still there. */
const LOOK_INTERVAL = 1000;

/**
 * Milliseconds that something must be gone before its skills are removed. Programs that replace a folder delete it
 * first.
 */
const REMOVAL_WAIT = 400;

/** Milliseconds to wait for somebody else's load before the next attempt. */
const LOAD_WAIT = 200;

/**
 * Texts that are embedded before a load stores their vectors, at most. More are embedded by a load, which stores as it
 * goes, but keeps others from loading for minutes.
 */
const MOST_PREPARED = 20_000;

/** Milliseconds before such a load. */
const PAUSE_BEFORE_MANY = 2000;

/** Milliseconds for which changes go before vectors. Then vectors are made though there are more changes. */
const WORDS_FIRST = 5000;

/** Milliseconds for which changes then wait, at most. Vectors that are made until then are kept. */
const LONGEST_ROUND = 10_000;

/** What a watch needs. */
export interface WatchParts {
  /** Where the catalogue is that is watched for. */
  readonly place: CataloguePlace;
  /** Without what says which model. */
  readonly load: Omit<WatchedLoad, 'signal'>;
  /** Makes vectors; undefined if none are wanted. */
  readonly model: ChosenModel | undefined;
  readonly quiet: number;
  readonly longestWait: number;
  readonly onChange: (change: WatchedChange) => void;
  readonly onProblem: (problem: WatchProblem) => void;
}

/**
 * Loads what changes in watched sources, one load at a time: first the words of everything that has changed, and when
 * nothing more changes the vectors. A change stops the making of vectors; those that are made are kept. Where changes
 * never end, vectors get their turn between them.
 */
export class RunningWatch implements SourceListener {
  readonly #parts: WatchParts;
  readonly #gathered: GatheredChanges<WatchedSource>;
  #sources: readonly WatchedSource[] = [];
  readonly #closing = new AbortController();
  readonly #retries: Retries;
  readonly #model: KeptModel | undefined;
  /** False once it turns out that vectors cannot be made. */
  #makesVectors: boolean;
  #looking: NodeJS.Timeout | undefined;
  #isDue = false;
  /** Until the first load has ended, changes wait: it would be in the way of theirs. */
  #hasLoaded = false;
  #working: Promise<void> | undefined;
  /** Since when something was found missing that was told of. */
  readonly #missingSince = new Map<string, number>();
  /** What the last load has rejected, and which sources failed. */
  #faults = '';
  /** Since when words are loaded whose vectors are not made. */
  #withoutVectorsSince: number | undefined;
  /** From when on vectors are made though changes wait, as of `performance.now()`. */
  #vectorsDueAt = 0;
  /** Aborted by the next change, but not before a time. */
  #embedding: { readonly stop: AbortController; readonly until: number } | undefined;

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.#retries = new Retries(this.#closing.signal);
    this.#model = parts.model === undefined ? undefined : new KeptModel(parts.model);
    this.#makesVectors = parts.model !== undefined;
    this.#gathered = new GatheredChanges({ quiet: parts.quiet, longest: parts.longestWait }, () => {
      this.#isDue = true;
      this.#endRound();
      this.#work();
    });
  }

  /**
   * Watches the sources, and then loads them: nothing is missed between.
   *
   * @throws what the load throws; then the watch is closed
   */
  async start(sources: readonly WatchedSource[]): Promise<void> {
    this.#sources = sources;
    const { signal } = this.#closing;
    try {
      const started = performance.now();
      await Promise.all(sources.map((source) => source.start()));
      signal.throwIfAborted();
      this.#looking = setInterval(() => void this.#look(), LOOK_INTERVAL);
      await this.#loadFirst(started);
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
    if (this.#closing.signal.aborted || isOwnFile(path, this.#path, this.#parts.place.folder)) return;
    this.#gathered.add(source, path);
  }

  onEverything(source: WatchedSource): void {
    if (!this.#closing.signal.aborted) this.#gathered.addEverything(source);
  }

  onProblem(problem: WatchProblem): void {
    if (!this.#closing.signal.aborted) this.#parts.onProblem(problem);
  }

  async #look(): Promise<void> {
    // What could not be looked at is looked at again. The others must not wait for it.
    for (const source of this.#sources) await source.look().catch(() => {});
  }

  async #loadFirst(started: number): Promise<void> {
    for (;;) {
      try {
        await this.#loadWords(everythingOf(this.#sources), started, true);
        this.#retries.succeeded();
        return;
      } catch (error) {
        if (!isLoadInProgress(error)) throw error;
        await this.#waitForOther();
      }
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
    while (!signal.aborted) {
      const wantsVectors = this.#withoutVectorsSince !== undefined;
      if (wantsVectors && (!this.#isDue || performance.now() >= this.#vectorsDueAt)) await this.#loadVectors();
      else if (this.#isDue) await this.#loadGathered();
      else return;
    }
  }

  /** Stops the making of vectors for the sake of changes, when these have waited as long as they must. */
  #endRound(): void {
    const { stop, until } = this.#embedding ?? {};
    if (stop === undefined || until === undefined) return;
    const left = until - performance.now();
    if (left <= 0) stop.abort(new Error('something changed'));
    else setTimeout(() => stop.abort(new Error('something changed')), left).unref();
  }

  async #loadGathered(): Promise<void> {
    const firstAt = this.#gathered.firstAt ?? performance.now();
    this.#isDue = false;
    const taken = this.#gathered.take();
    const changes = existsSync(this.#path)
      ? await this.#putBackMissing(await ofSameSources(taken), firstAt)
      : everythingOf(this.#sources);
    try {
      await this.#loadWords(changes, firstAt, false);
      this.#retries.succeeded();
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      this.#gathered.putBack(changes, firstAt);
      await this.#waitAfter(error);
    }
  }

  /** Puts back what vanished a moment ago. */
  async #putBackMissing(taken: Changes, firstAt: number): Promise<Changes> {
    const now = performance.now();
    const ready = new Map<WatchedSource, SourceChanges>();
    const early = new Map<WatchedSource, SourceChanges>();
    const former = new Map(this.#missingSince);
    this.#missingSince.clear();
    for (const [source, { paths, everything }] of taken) {
      const left = new Set(paths);
      const waiting = new Set<string>();
      for (const path of everything ? [] : await missingPaths(paths)) {
        const since = former.get(path) ?? now;
        if (now - since >= REMOVAL_WAIT) continue;
        this.#missingSince.set(path, since);
        left.delete(path);
        waiting.add(path);
      }
      if (everything || left.size > 0) ready.set(source, { paths: left, everything });
      if (waiting.size > 0) early.set(source, { paths: waiting, everything: false });
    }
    if (early.size > 0) this.#gathered.putBack(early, firstAt);
    return ready;
  }

  async #loadWords(changes: Changes, firstAt: number, isFirst: boolean): Promise<void> {
    const { load } = this.#parts;
    const plan = await planLoad(changes, this.#sources, load.followLinks === true);
    if (plan.whole.length + plan.parts.size === 0) return;
    const { signal } = this.#closing;
    signal.throwIfAborted();
    const report = await loadChanges(plan, { ...load, signal });
    const { added, updated } = report;
    if (this.#makesVectors && (isFirst || added + updated > 0)) this.#wantVectors(firstAt);
    // What is rejected by load after load is told once.
    const faults = JSON.stringify([report.rejected, report.failed]);
    const isNews = report.rejected.length + report.failed.length > 0 && faults !== this.#faults;
    this.#faults = faults;
    if (isFirst || hasChanged(report) || isNews) this.#tell('words', plan.whole.length > 0, report, firstAt);
  }

  #wantVectors(since: number): void {
    if (this.#withoutVectorsSince === undefined) this.#vectorsDueAt = performance.now() + WORDS_FIRST;
    this.#withoutVectorsSince ??= since;
  }

  async #loadVectors(): Promise<void> {
    const firstAt = this.#withoutVectorsSince!;
    const { load } = this.#parts;
    const now = performance.now();
    const stop = new AbortController();
    const isTheirTurn = now >= this.#vectorsDueAt;
    this.#embedding = { stop, until: isTheirTurn ? now + LONGEST_ROUND : now };
    if (this.#isDue) this.#endRound();
    const { signal, end } = anyOf([this.#closing.signal, stop.signal]);
    try {
      const model = this.#model!;
      const texts = await this.#textsWithoutVector(model.model);
      // Whoever follows the catalogue opens a state when nobody loads. So it comes to see the words.
      if (texts === undefined) await this.#retries.waitFor(PAUSE_BEFORE_MANY);
      else await model.prepare(texts, signal);
      signal.throwIfAborted();
      const report = texts?.length === 0 ? undefined : await loadVectors(model, { ...load, signal });
      model.forget();
      this.#withoutVectorsSince = undefined;
      this.#retries.succeeded();
      if (report !== undefined && hasChanged(report)) this.#tell('vectors', false, report, firstAt);
    } catch (error) {
      if (signal.aborted) return;
      if (this.#isOptional(error)) this.#goOnWithoutVectors(error);
      else await this.#waitAfter(error);
    } finally {
      end();
      this.#embedding = undefined;
      // Changes that waited come first now, also if vectors cannot be made.
      if (isTheirTurn) this.#vectorsDueAt = performance.now() + WORDS_FIRST;
    }
  }

  /** @returns undefined if there are many, or nobody knows */
  async #textsWithoutVector(model: string): Promise<string[] | undefined> {
    // A local copy that somebody has deleted is made again by the load.
    if (this.#parts.place.folder !== undefined && !existsSync(this.#path)) return undefined;
    const { textsWithoutVector } = await import('../load/writing.js');
    return textsWithoutVector(this.#path, model, MOST_PREPARED);
  }

  /** Of the catalogue's file, or of its local copy. */
  get #path(): string {
    return this.#parts.place.path;
  }

  /** Whether an error says that the model runtime, which is optional, is missing, and nobody asked for vectors. */
  #isOptional(error: unknown): error is SkillSearchError {
    const isMissing = error instanceof SkillSearchError && error.code === 'MODEL_RUNTIME_MISSING';
    return isMissing && this.#parts.load.semantic !== true && this.#parts.model?.named !== true;
  }

  #goOnWithoutVectors(error: SkillSearchError): void {
    this.#makesVectors = false;
    this.#withoutVectorsSince = undefined;
    this.#parts.onProblem({ kind: 'no-vectors', message: `no vectors are made: ${error.message}`, error });
  }

  #tell(kind: WatchedChange['kind'], whole: boolean, report: LoadReport, since: number): void {
    this.#parts.onChange({ kind, whole, report, milliseconds: performance.now() - since });
  }

  /** Tells of a load that failed, and waits before the next attempt. */
  async #waitAfter(error: unknown): Promise<void> {
    if (this.#closing.signal.aborted) return;
    if (isLoadInProgress(error)) {
      await this.#waitForOther();
      return;
    }
    const reason = error instanceof Error ? error.message : String(error);
    const seconds = this.#retries.seconds;
    const message = `a load failed, and is tried again in ${seconds} s: ${reason}`;
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

function isLoadInProgress(error: unknown): boolean {
  return error instanceof SkillSearchError && error.code === 'LOAD_IN_PROGRESS';
}

function hasChanged({ added, updated, removed, embedded, classified }: LoadReport): boolean {
  return added + updated + removed + embedded + classified > 0;
}
