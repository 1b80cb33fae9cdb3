import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describeValue, isObject, SkillSearchError } from '../core/index.js';

/** Most tokens of a text that a model's folder may ask for. The longest description has about half as many. */
const MAX_MODEL_TOKENS = 8192;

/** Longest prefix before questions or texts, in UTF-16 units. Each text is read with it. */
const MAX_PREFIX_LENGTH = 1000;

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
type ToldSettings = { readonly [Name in keyof ModelSettings]?: ModelSettings[Name] | undefined };

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
  const config = (await readJsonOf(folder, 'config.json')) ?? {};
  const tokenizer = (await readJsonOf(folder, 'tokenizer_config.json')) ?? {};
  const own = await readOwnSettings(folder);
  const told = await readSentenceTransformers(folder);
  const family = familySettings([String(config['_name_or_path'] ?? ''), basename(folder)]);
  return {
    question: own.question ?? told.question ?? family.question ?? '',
    document: own.document ?? told.document ?? family.document ?? '',
    pooling: own.pooling ?? told.pooling ?? family.pooling ?? 'mean',
    maxTokens: tokenLimit(folder, { own: own.maxTokens, told: told.maxTokens, config, tokenizer }),
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

/** Optional file of a model's folder with our own settings, which win over all others. */
const FILE = 'skill-discovery.json';

const POOLINGS: readonly unknown[] = ['mean', 'cls', 'last_token', 'sentence_embedding'];

const isPrefix = (value: unknown): value is string => typeof value === 'string' && value.length <= MAX_PREFIX_LENGTH;
const PREFIX = `a text of at most ${MAX_PREFIX_LENGTH} characters`;

const CHECKS: Readonly<Record<keyof ModelSettings, { accepts: (value: unknown) => boolean; expected: string }>> = {
  question: { accepts: isPrefix, expected: PREFIX },
  document: { accepts: isPrefix, expected: PREFIX },
  pooling: { accepts: (value) => POOLINGS.includes(value), expected: `one of ${POOLINGS.join(', ')}` },
  maxTokens: {
    accepts: (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_MODEL_TOKENS,
    expected: `a whole number from 1 to ${MAX_MODEL_TOKENS}`,
  },
};

/**
 * The settings in `skill-discovery.json` of a model's folder.
 *
 * @throws {SkillSearchError} `MODEL_NOT_READABLE` if one is unknown or has a wrong value
 * @example
 * { "question": "query: ", "document": "passage: ", "pooling": "mean", "maxTokens": 256 }
 */
async function readOwnSettings(folder: string): Promise<ToldSettings> {
  const settings = (await readJsonOf(folder, FILE)) ?? {};
  for (const [name, value] of Object.entries(settings)) {
    if (!Object.hasOwn(CHECKS, name)) {
      throw unsupported(folder, FILE, `has an unknown setting ${name}: there are ${Object.keys(CHECKS).join(', ')}`);
    }
    const { accepts, expected } = CHECKS[name as keyof ModelSettings];
    if (!accepts(value))
      throw unsupported(folder, FILE, `must have as ${name} ${expected}, not ${describeValue(value)}`);
  }
  return settings as ToldSettings;
}

// The files that sentence-transformers writes beside a model: which modules it has, how it pools, its prompts, and how
// many tokens it reads. https://sbert.net/docs/package_reference/sentence_transformer/models.html

const MODULES = 'modules.json';
const PROMPTS = 'config_sentence_transformers.json';
/** The names that the length has had. */
const LENGTHS = ['sentence_bert_config.json', 'sentence_roberta_config.json', 'sentence_xlm-roberta_config.json'];

/** What the modules do that we do, too. Any other computes more than this library can. */
const KNOWN_MODULES: readonly unknown[] = ['Transformer', 'Pooling', 'Normalize'];

/** Names of prompts, in the order in which `encode_query` and `encode_document` look for them, and older ones. */
const QUESTION_PROMPTS = ['query', 's2p_query', 'retrieval.query', 'search_query', 'question'];
const DOCUMENT_PROMPTS = ['document', 'passage', 'corpus', 'retrieval.passage', 'search_document'];

/** Modes of pooling by their names: as later versions write them, and as keys without `pooling_mode_`. */
const MODES: Readonly<Record<string, Pooling>> = {
  mean: 'mean',
  mean_tokens: 'mean',
  // Differs from the mean by a factor, so it is the same at unit length.
  mean_sqrt_len_tokens: 'mean',
  cls: 'cls',
  cls_token: 'cls',
  lasttoken: 'last_token',
};

/**
 * The settings that the files of sentence-transformers tell. Those that they do not tell are undefined.
 *
 * @throws {SkillSearchError} `MODEL_NOT_READABLE` if a file is wrong, or asks for something that is not supported
 */
async function readSentenceTransformers(folder: string): Promise<ToldSettings> {
  const prompts = await readPrompts(folder);
  const told = { ...prompts, maxTokens: await readLength(folder) };
  const modules = (await readContentOf(folder, MODULES, areObjects, 'is no array of modules')) ?? [];
  // `sentence_transformers.models.Pooling`: the name of a class.
  const named = modules.map(({ type, path }) => ({ name: String(type).split('.').at(-1), path: String(path) }));
  const { path: inside } = named.find(({ name }) => name === 'Pooling') ?? { path: '1_Pooling' };
  if (!/^\w[\w.-]*$/.test(inside)) {
    throw unsupported(folder, MODULES, `has a module in ${inside}, which is no folder of it`);
  }
  if (!named.every(({ name }) => KNOWN_MODULES.includes(name))) return { ...told, pooling: 'sentence_embedding' };
  const file = `${inside}/config.json`;
  const config = await readJsonOf(folder, file);
  if (config === undefined) return told;
  if (config['include_prompt'] === false && prompts.question !== undefined) {
    throw unsupported(folder, file, 'leaves the prompt out of the pooling, which is not supported');
  }
  return { ...told, pooling: poolingIn(folder, file, config) };
}

function poolingIn(folder: string, file: string, config: JsonObject): Pooling {
  const { pooling_mode: mode } = config;
  const asked =
    typeof mode === 'string'
      ? [mode]
      : Object.keys(config).flatMap((key) => (config[key] === true ? key.split('pooling_mode_').slice(1) : []));
  const pooling = MODES[asked[0] ?? ''];
  if (pooling !== undefined && asked.length === 1) return pooling;
  throw unsupported(folder, file, `asks for the pooling ${asked.join(', ')}: only mean, cls or last token can be used`);
}

async function readPrompts(folder: string): Promise<Pick<ToldSettings, 'question' | 'document'>> {
  const config = (await readJsonOf(folder, PROMPTS)) ?? {};
  const prompts = (config['prompts'] ?? {}) as JsonObject;
  const usual = String(config['default_prompt_name'] ?? '');
  const promptOf = (names: readonly string[]): string => {
    const name = [...names, usual].find((one) => Object.hasOwn(prompts, one)) ?? '';
    const prompt = prompts[name] ?? '';
    if (isPrefix(prompt)) return prompt;
    throw unsupported(folder, PROMPTS, `must have as prompt ${name} ${PREFIX}`);
  };
  const [question, document] = [promptOf(QUESTION_PROMPTS), promptOf(DOCUMENT_PROMPTS)];
  // Empty prompts are written for every model that was given none.
  return question + document === '' ? {} : { question, document };
}

async function readLength(folder: string): Promise<number | undefined> {
  const file = LENGTHS.find((name) => existsSync(join(folder, name)));
  const length = file === undefined ? undefined : (await readJsonOf(folder, file))?.['max_seq_length'];
  return typeof length === 'number' && length >= 1 ? length : undefined;
}

const E5_INSTRUCT = 'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ';
const BGE = 'Represent this sentence for searching relevant passages: ';
const BGE_CHINESE = '为这个句子生成表示以用于检索相关文章：';
const NOMIC = { question: 'search_query: ', document: 'search_document: ', pooling: 'mean' } as const;

/**
 * What the cards of well-known models say, by their names; the first that fits. For folders that lack the files of
 * sentence-transformers, or were saved before these could have prompts.
 */
const FAMILIES: readonly (readonly [name: RegExp, settings: ToldSettings])[] = [
  [/\be5-.*instruct\b/, { question: E5_INSTRUCT, pooling: 'mean' }],
  [/\be5-(small|base|large)\b/, { question: 'query: ', document: 'passage: ', pooling: 'mean' }],
  [/\bbge-m3\b/, { pooling: 'cls' }],
  [/\bbge-(small|base|large)-zh\b/, { question: BGE_CHINESE, pooling: 'cls' }],
  [/\bbge-micro\b/, { pooling: 'mean' }],
  [/\bbge-(small|base|large)\b/, { question: BGE, pooling: 'cls' }],
  [/\b(gte-qwen|qwen3-embedding)/, { question: E5_INSTRUCT, pooling: 'last_token' }],
  [/\bgte-(modernbert|multilingual)-|\bgte-\w+(-\w+)?-v1\.5\b/, { pooling: 'cls' }],
  [/\bgte-(tiny|small|base|large)\b/, { pooling: 'mean' }],
  [/\bjina-embeddings-v2\b/, { pooling: 'mean' }],
  [/\b(nomic-embed-text|modernbert-embed)\b/, NOMIC],
  [/\barctic-embed-.*v2\b/, { question: 'query: ', pooling: 'cls' }],
  [/\bmxbai-embed-xsmall\b/, { pooling: 'mean' }],
  [/\b(arctic-embed|mxbai-embed)\b/, { question: BGE, pooling: 'cls' }],
  [/\bgranite-embedding\b/, { pooling: 'cls' }],
];

/**
 * The settings of a model's family.
 *
 * @param names of the model, the most reliable first: that of its configuration, that of its folder
 * @returns nothing if the family is unknown
 */
function familySettings(names: readonly string[]): ToldSettings {
  for (const name of names) {
    const family = FAMILIES.find(([pattern]) => pattern.test(name.toLowerCase()));
    if (family !== undefined) return family[1];
  }
  return {};
}

/** Tokens that are read if nobody asks for more: names and descriptions are shorter, and the time grows faster. */
const USUAL_LIMIT = 512;

/** Models whose positions begin behind the padding token, so that they have two fewer. */
const WITH_OFFSET: readonly unknown[] = ['roberta', 'xlm-roberta', 'camembert', 'mpnet'];

/** Where a limit may be told: by `skill-discovery.json`, by sentence-transformers, by the files of Transformers.js. */
interface TokenLimits {
  readonly own: number | undefined;
  readonly told: number | undefined;
  readonly config: JsonObject;
  readonly tokenizer: JsonObject;
}

/**
 * How many tokens of a text a model is to read.
 *
 * @returns undefined if the tokenizer cuts texts there anyway
 * @throws {SkillSearchError} `MODEL_NOT_READABLE` if its own settings ask for more than it can read
 */
function tokenLimit(folder: string, { own, told, config, tokenizer }: TokenLimits): number | undefined {
  const positions = numberOr(config['max_position_embeddings'], MAX_MODEL_TOKENS);
  const most = WITH_OFFSET.includes(config['model_type']) ? positions - 2 : positions;
  if (own !== undefined && own > most) {
    throw unsupported(folder, 'skill-discovery.json', `asks for ${own} tokens, but the model reads ${most} at most`);
  }
  const ofTokenizer = tokenizer['model_max_length'];
  const limit = own ?? Math.min(USUAL_LIMIT, most, told ?? USUAL_LIMIT, numberOr(ofTokenizer, USUAL_LIMIT));
  return limit === ofTokenizer ? undefined : limit;
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' && value >= 1 ? value : otherwise;
}

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The JSON object in a file of a model's folder.
 *
 * @returns undefined if there is no such file
 * @throws {SkillSearchError} `MODEL_NOT_READABLE` if it cannot be read, or has something else
 */
function readJsonOf(folder: string, file: string): Promise<JsonObject | undefined> {
  return readContentOf(folder, file, isObject, 'is no JSON object');
}

function areObjects(content: unknown): content is JsonObject[] {
  return Array.isArray(content) && content.every(isObject);
}

/**
 * As {@link readJsonOf}, of a file with some other content.
 *
 * @param refusal what is said of a file with anything else, after its path
 */
export async function readContentOf<Content>(
  folder: string,
  file: string,
  accepts: (content: unknown) => content is Content,
  refusal: string,
): Promise<Content | undefined> {
  let cause: unknown;
  try {
    const content: unknown = JSON.parse(await readFile(join(folder, file), 'utf8'));
    if (accepts(content)) return content;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    cause = error;
  }
  throw unsupported(folder, file, refusal, cause);
}

/** The error of a file of a model's folder that cannot be followed. */
function unsupported(folder: string, file: string, message: string, cause?: unknown): SkillSearchError {
  return new SkillSearchError('MODEL_NOT_READABLE', `${join(folder, file)} ${message}`, { path: folder, cause });
}
