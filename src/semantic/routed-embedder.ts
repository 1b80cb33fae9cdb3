import { languageOf, SkillSearchError } from '../core/index.js';
import type { LocalEmbedOptions, LocalModel } from './embedder.js';
import { LocalEmbedder, type ModelThread } from './local-embedder.js';
import type { ModelFolder } from './model-folder.js';

/**
 * Loads the model of a folder. One for other languages that the folder has is loaded when a text needs it.
 *
 * @param threads how many texts may be embedded at the same time
 * @param first thread of this model that loads already
 * @throws {SkillSearchError} `MODEL_RUNTIME_MISSING`, `MODEL_NOT_READABLE`
 */
export function startModel(folder: ModelFolder, threads: number, first?: ModelThread): Promise<LocalModel> {
  const { otherLanguages } = folder;
  if (otherLanguages === undefined) return LocalEmbedder.start(folder, threads, first);
  return RoutedEmbedder.start({ ...folder, otherLanguages }, threads, first);
}

/**
 * What is read of a text to tell its language, in UTF-16 units: as much as the models read of it, in most languages.
 */
const READ_FOR_LANGUAGE = 1000;

/** A text whose language cannot be told goes to the first model if that can read at least this share of it. */
const READABLE_ENOUGH = 0.5;

/** The models of a folder with `other-languages/`. */
interface TwoModels extends ModelFolder {
  readonly otherLanguages: ModelFolder;
}

/**
 * Two models in one vector space: one for the texts in languages that it reads, the other for all other texts. The
 * second is loaded when the first text needs it.
 */
class RoutedEmbedder implements LocalModel {
  readonly model: string;
  readonly #first: LocalEmbedder;
  readonly #other: LocalEmbedder;
  readonly #folder: TwoModels;
  #otherLanguagesWanted = false;
  /** The text that was decided on last. A question is asked about several times in a row. */
  #decided: { readonly text: string; readonly isForOther: boolean } = { text: '', isForOther: false };

  private constructor(folder: TwoModels, first: LocalEmbedder, other: LocalEmbedder) {
    this.model = folder.id;
    this.#folder = folder;
    this.#first = first;
    this.#other = other;
  }

  /**
   * Loads the first model.
   *
   * @param threads how many texts each model embeds at the same time, at most
   * @param thread of the first model that loads already
   * @throws {SkillSearchError} `MODEL_RUNTIME_MISSING`, `MODEL_NOT_READABLE`
   */
  static async start(folder: TwoModels, threads: number, thread?: ModelThread): Promise<RoutedEmbedder> {
    const first = await LocalEmbedder.start(folder, threads, thread);
    return new RoutedEmbedder(folder, first, LocalEmbedder.startWhenUsed(folder.otherLanguages, threads));
  }

  /** Whether the second model was to be loaded, or a text for it has come. */
  get otherLanguagesWanted(): boolean {
    return this.#otherLanguagesWanted;
  }

  /**
   * Loads the second model, if it is not loaded yet. Asks it for a vector in any case, as its thread may still load, or
   * have died.
   *
   * @throws {SkillSearchError} `MODEL_NOT_READABLE`, `EMBEDDER_FAILED`
   */
  async loadOtherLanguages(): Promise<void> {
    await this.#embedOther(['warm up']);
  }

  async embed(texts: readonly string[], options: LocalEmbedOptions = {}): Promise<readonly Float32Array[]> {
    options.signal?.throwIfAborted();
    const isOther = texts.map((text) => this.#isForOther(text, options.purpose === 'question' ? texts : []));
    if (!isOther.includes(true)) return this.#first.embed(texts, options);
    const { onFirst, ...withoutFirst } = options;
    const [first, other] = await Promise.all([
      this.#first.embed(
        texts.filter((_, i) => !isOther[i]),
        isOther[0] === true ? withoutFirst : options,
      ),
      this.#embedOther(
        texts.filter((_, i) => isOther[i]),
        isOther[0] === true ? options : withoutFirst,
      ),
    ]);
    let [nextOfFirst, nextOfOther] = [0, 0];
    return isOther.map((is) => (is ? other[nextOfOther++]! : first[nextOfFirst++]!));
  }

  expectedWait(text?: string): number {
    return this.#modelFor(text ?? '').expectedWait();
  }

  readableShare(question: string): number {
    return this.#modelFor(question).readableShare(question);
  }

  readsLanguage(language: string): boolean {
    return this.firstReadsLanguage(language) || this.#other.readsLanguage(language);
  }

  /** Whether the first model reads a language. */
  firstReadsLanguage(language: string): boolean {
    return this.#first.readsLanguage(language);
  }

  async close(): Promise<void> {
    await Promise.all([this.#first.close(), this.#other.close()]);
  }

  #modelFor(text: string): LocalEmbedder {
    return this.#isForOther(text) ? this.#other : this.#first;
  }

  /** @param wholes questions: a sentence of one goes where the question goes, if its own language cannot be told */
  #isForOther(text: string, wholes: readonly string[] = []): boolean {
    if (text === this.#decided.text) return this.#decided.isForOther;
    const certain = this.#decideByLanguage(text);
    const whole = certain === undefined ? wholes.find((whole) => isPartOf(text, whole)) : undefined;
    const isForOther = certain ?? (whole === undefined ? this.#decideByScript(text) : this.#isForOther(whole));
    if (whole === undefined) this.#decided = { text, isForOther };
    return isForOther;
  }

  /** @returns undefined if the language cannot be told */
  #decideByLanguage(text: string): boolean | undefined {
    const { code, certain } = languageOf(text.slice(0, READ_FOR_LANGUAGE));
    return certain ? !this.#first.readsLanguage(code) : undefined;
  }

  #decideByScript(text: string): boolean {
    // Names, code, two words: most are in English catalogues, too.
    return this.#first.readableShare(text.slice(0, READ_FOR_LANGUAGE)) < READABLE_ENOUGH;
  }

  async #embedOther(texts: readonly string[], options?: LocalEmbedOptions): Promise<readonly Float32Array[]> {
    this.#otherLanguagesWanted = true;
    const vectors = await this.#other.embed(texts, options);
    this.#checkLength(vectors);
    return vectors;
  }

  #checkLength(vectors: readonly Float32Array[]): void {
    const { dimensions } = this.#first;
    const other = vectors.find(({ length }) => length !== dimensions);
    if (other === undefined) return;
    const { path, otherLanguages } = this.#folder;
    const lengths = `${otherLanguages.path} gives vectors of ${other.length} values, and ${path} of ${dimensions}`;
    const message = `the model ${lengths}: both must be as long`;
    throw new SkillSearchError('MODEL_NOT_READABLE', message, { path });
  }
}

function isPartOf(text: string, whole: string): boolean {
  return text.length < whole.length && whole.includes(text);
}
