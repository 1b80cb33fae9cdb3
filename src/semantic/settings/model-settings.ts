import { basename } from 'node:path';
import { familySettings } from './model-families.js';
import { readOwnSettings } from './own-settings.js';
import { readJsonOf } from './read-json.js';
import { readSentenceTransformers } from './sentence-transformers.js';
import { tokenLimit } from './token-limit.js';

/** How the vectors of a text's tokens become one: their mean, that of the first, that of the last. */
export type Pooling = 'mean' | 'cls' | 'last_token';

/** What a model needs to know beside its weights. All vectors get unit length, whatever else. */
export interface ModelSettings {
  /** What stands before each question. */
  readonly question: string;
  /** What stands before each text of a skill. */
  readonly document: string;
  /**
   * `sentence_embedding` takes the output of that name, for a model that does more than pooling. So does a model
   * without an output for tokens, whatever is said here.
   */
  readonly pooling: Pooling | 'sentence_embedding';
  /** Tokens of a text that are read, special ones and prefix included; undefined if it is what the tokenizer says. */
  readonly maxTokens: number | undefined;
}

/** Settings as a source has them: those that it does not tell are undefined. */
export type ToldSettings = { readonly [Name in keyof ModelSettings]?: ModelSettings[Name] | undefined };

/** The settings of most models. Folders with these have the id of their files alone. */
const USUAL: ModelSettings = { question: '', document: '', pooling: 'mean', maxTokens: undefined };

/**
 * Finds out the settings of a model. What counts, setting by setting: our own file `skill-discovery.json`; the files of
 * sentence-transformers; what is known of its family; else the mean, without prefixes.
 *
 * @param folder of the model, in the layout of Transformers.js
 * @throws {SkillSearchError} `MODEL_NOT_READABLE` if a file is wrong, or asks for something that is not supported
 */
export async function readModelSettings(folder: string): Promise<ModelSettings> {
  const [config, tokenizer] = await Promise.all(
    ['config.json', 'tokenizer_config.json'].map(async (file) => (await readJsonOf(folder, file)) ?? {}),
  );
  const own = await readOwnSettings(folder);
  const told = await readSentenceTransformers(folder);
  const family = familySettings([String(config?.['_name_or_path'] ?? ''), basename(folder)]);
  return {
    question: own.question ?? told.question ?? family.question ?? '',
    document: own.document ?? told.document ?? family.document ?? '',
    pooling: own.pooling ?? told.pooling ?? family.pooling ?? 'mean',
    maxTokens: tokenLimit(folder, { own: own.maxTokens, told: told.maxTokens, config: config!, tokenizer: tokenizer! }),
  };
}

/**
 * What of the settings the vectors of a model depend on, as a text to be hashed.
 *
 * @returns undefined if they are the usual ones, so that such a model keeps the id that it had before there were any
 */
export function settingsKey(settings: ModelSettings): string | undefined {
  const key = ({ question, document, pooling, maxTokens }: ModelSettings): string =>
    JSON.stringify([question, document, pooling, maxTokens ?? null]);
  return key(settings) === key(USUAL) ? undefined : key(settings);
}
