import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, madeOnce } from '../core/index.js';
import { answerLocally, askLocally, type LocalServer } from '../core/local-server.js';
import {
  embeddedTexts,
  type LoadedModel,
  ModelThread,
  type ModelThreadData,
  type TextThread,
} from './local-embedder.js';

/** How long another process may take for an answer, in milliseconds: it may have to load the model first. */
const PATIENCE = 5000;

/**
 * What another process answers that is asked for the vectors of `texts`, with their prefix. Without any it tells of the
 * model.
 */
interface Told extends LoadedModel {
  /** The vectors one after the other: little-endian floats, base64. */
  readonly values: string;
  readonly milliseconds: number;
}

/** The models that this process shares, by what they are. */
const models = new Map<string, SharedModel>();

/**
 * A model that the processes of a user share. The first that needs it loads it, and answers the others; when that ends,
 * the next that needs it loads it. In one process it is there once, however many use it.
 */
export function shareModel(data: ModelThreadData): TextThread {
  const subject = subjectOf(data);
  return madeOnce(models, subject, () => new SharedModel(subject, data)).use();
}

/** Names a model by all that its vectors depend on: another version in the same folder has another name. */
function subjectOf({ path, weights, settings, languages }: ModelThreadData): string {
  const files = ['tokenizer.json', weights].map((file) => {
    // What is missing is said when it is loaded.
    const facts = statSync(join(path, file), { throwIfNoEntry: false });
    return [file, facts?.size, facts?.mtimeMs];
  });
  return JSON.stringify(['model', path, files, settings, languages]);
}

class SharedModel {
  readonly #subject: string;
  readonly #data: ModelThreadData;
  #uses = 0;
  /** Where it is loaded in this process. */
  #own: { readonly thread: ModelThread; readonly server: Promise<LocalServer> } | undefined;

  constructor(subject: string, data: ModelThreadData) {
    this.#subject = subject;
    this.#data = data;
  }

  use(): TextThread {
    this.#uses += 1;
    const ready = this.#ask([]);
    // Who embeds a text is told.
    ready.catch(() => {});
    let isClosed = false;
    return {
      ready,
      embed: async (texts) => {
        const told = await this.#ask(texts);
        // A copy, so that it begins where floats may.
        const { buffer } = new Uint8Array(Buffer.from(told.values, 'base64'));
        return embeddedTexts({ ...told, values: new Float32Array(buffer) });
      },
      close: async () => {
        if (isClosed) return;
        isClosed = true;
        this.#uses -= 1;
        if (this.#uses > 0) return;
        models.delete(this.#subject);
        await ready.catch(() => {});
        await this.#unload();
      },
    };
  }

  async #ask(texts: readonly string[]): Promise<Told> {
    if (this.#own === undefined) {
      const answer = await askLocally({ subject: this.#subject, ask: { texts }, patience: PATIENCE });
      if (isTold(answer, texts.length)) return answer;
    }
    return this.#embedHere(texts);
  }

  async #embedHere(texts: readonly string[]): Promise<Told> {
    // Another process may have ended meanwhile: nobody would end what is loaded now.
    if (this.#uses === 0) throw new Error('the model was closed');
    // Others are answered from now on, and wait until it is loaded.
    this.#own ??= {
      thread: new ModelThread(this.#data),
      server: answerLocally({ subject: this.#subject, answer: (ask) => this.#embedHere(textsIn(ask)) }),
    };
    const { thread } = this.#own;
    const { dimensions, scripts } = await thread.ready.catch(async (error: unknown) => {
      // The next text tries again.
      if (this.#own?.thread === thread) await this.#unload();
      throw error;
    });
    if (texts.length === 0) return { dimensions, scripts, values: '', milliseconds: 0 };
    const { vectors, milliseconds } = await thread.embed(texts);
    const values = Buffer.concat(vectors.map((vector) => Buffer.from(Float32Array.from(vector).buffer)));
    return { dimensions, scripts, values: values.toString('base64'), milliseconds };
  }

  async #unload(): Promise<void> {
    const own = this.#own;
    this.#own = undefined;
    await Promise.all([own?.thread.close(), own?.server.then((server) => server.close())]);
  }
}

/** @throws if something else is asked */
function textsIn(ask: unknown): readonly string[] {
  const { texts } = isObject(ask) ? ask : {};
  if (Array.isArray(texts) && texts.every((text) => typeof text === 'string')) return texts;
  throw new Error('that cannot be answered');
}

function isTold(answer: unknown, texts: number): answer is Told {
  const { dimensions, values } = isObject(answer) ? answer : {};
  if (!Number.isInteger(dimensions) || typeof values !== 'string') return false;
  return Buffer.byteLength(values, 'base64') === texts * (dimensions as number) * Float32Array.BYTES_PER_ELEMENT;
}
