import { languageOf, SkillSearchError } from '../core/index.js';
import type { Embedder, LocalEmbedOptions } from './embedder.js';
import { LocalEmbedder, type StartThread, type TextThread } from './local-embedder.js';
import type { ModelFolder } from './model-folder.js';

/**
 * Loads the model of a folder. One for other languages that the folder has is loaded when a text needs it.
 *
 * @param threads how many texts may be embedded at the same time
 * @param first thread of this model that loads already
 * @param start starts further threads, of both
 * @throws {SkillSearchError} `MODEL_RUNTIME_MISSING`, `MODEL_NOT_READABLE`
 */
export async function startModel(
  folder: ModelFolder,
  threads: number,
  first?: TextThread,
  start?: StartThread,
): Promise<LocalModel> {
  const { otherLanguages } = folder;
  const other = otherLanguages === undefined ? undefined : LocalEmbedder.startWhenUsed(otherLanguages, threads, start);
  return new LocalModel(folder, await LocalEmbedder.start(folder, threads, first, start), other);
}

/**
 * What is read of a text to tell its language, in UTF-16 units: as much as the models read of it, in most languages.
 */
const READ_FOR_LANGUAGE = 1000;

/** A text whose language cannot be told goes to the first model if that can read at least this share of it. */
const READABLE_ENOUGH = 0.5;

/**
 * The model of a folder. One with `other-languages/` has two in one vector space: one for the texts in languages that
 * it reads, the other for all other texts. The second is loaded when the first text needs it.
 */
export class LocalModel implements Embedder {
  readonly model: string;
  readonly #first: LocalEmbedder;
  readonly #other: LocalEmbedder | undefined;
  readonly #folder: ModelFolder;
  /** Whether the second model was to be loaded, or a text for it has come. */
  otherLanguagesWanted = false;
  /** The text that was decided on last. A question is asked about several times in a row. */
  #decided: { readonly text: string; readonly isForOther: boolean } = { text: '', isForOther: false };

  constructor(folder: ModelFolder, first: LocalEmbedder, other: LocalEmbedder | undefined) {
    this.model = folder.id;
    this.#folder = folder;
    this.#first = first;
    this.#other = other;
  }

  /**
   * Loads the second model, if there is one and it is not loaded yet. Asks it for a vector in any case, as its thread
   * may still load, or have died.
   *
   * @throws {SkillSearchError} `MODEL_NOT_READABLE`, `EMBEDDER_FAILED`
   */
  async loadOtherLanguages(): Promise<void> {
    if (this.#other !== undefined) await this.#embedOther(this.#other, ['warm up']);
  }

  async embed(texts: readonly string[], options: LocalEmbedOptions = {}): Promise<readonly Float32Array[]> {
    options.signal?.throwIfAborted();
    const isOther = texts.map((text) => this.#isForOther(text, options.partOf));
    if (this.#other === undefined || !isOther.includes(true)) return this.#first.embed(texts, options);
    const textsOf = (other: boolean): string[] => texts.filter((_, i) => isOther[i] === other);
    const [first, other] = await Promise.all([
      this.#first.embed(textsOf(false), options),
      this.#embedOther(this.#other, textsOf(true), options),
    ]);
    let [nextOfFirst, nextOfOther] = [0, 0];
    return isOther.map((is) => (is ? other[nextOfOther++]! : first[nextOfFirst++]!));
  }

  expectedWait(text = ''): number {
    return this.#modelFor(text).expectedWait();
  }

  readableShare(question: string): number {
    return this.#modelFor(question).readableShare(question);
  }

  readsLanguage(language: string): boolean {
    return this.firstReadsLanguage(language) || this.#other?.readsLanguage(language) === true;
  }

  /** Whether the first model reads a language. */
  firstReadsLanguage(language: string): boolean {
    return this.#first.readsLanguage(language);
  }

  async close(): Promise<void> {
    await Promise.all([this.#first.close(), this.#other?.close()]);
  }

  #modelFor(text: string): LocalEmbedder {
    return this.#isForOther(text) ? this.#other! : this.#first;
  }

  #isForOther(text: string, partOf?: string): boolean {
    if (this.#other === undefined) return false;
    if (text === this.#decided.text) return this.#decided.isForOther;
    const start = text.slice(0, READ_FOR_LANGUAGE);
    const { code, certain } = languageOf(start);
    if (!certain && partOf !== undefined) return this.#isForOther(partOf);
    // Names, code, two words: most are in English catalogues, too.
    const isForOther = certain ? !this.#first.readsLanguage(code) : this.#first.readableShare(start) < READABLE_ENOUGH;
    this.#decided = { text, isForOther };
    return isForOther;
  }

  async #embedOther(
    model: LocalEmbedder,
    texts: readonly string[],
    options?: LocalEmbedOptions,
  ): Promise<readonly Float32Array[]> {
    this.otherLanguagesWanted = true;
    const vectors = await model.embed(texts, options);
    const { dimensions } = this.#first;
    const wrong = vectors.find(({ length }) => length !== dimensions);
    if (wrong === undefined) return vectors;
    const { path, otherLanguages } = this.#folder;
    const lengths = `${otherLanguages?.path} gives vectors of ${wrong.length} values, and ${path} of ${dimensions}`;
    throw new SkillSearchError('MODEL_NOT_READABLE', `the model ${lengths}: both must be as long`, { path });
  }
}
