import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_PREFIX_LENGTH } from '../../core/index.js';
import type { Pooling, ToldSettings } from './model-settings.js';
import { readJsonListOf, readJsonOf, unsupported } from './read-json.js';

// The files that sentence-transformers writes beside a model: which modules it has, how it pools, its prompts, and how
// many tokens it reads. https://sbert.net/docs/package_reference/sentence_transformer/models.html

const MODULES = 'modules.json';
const PROMPTS = 'config_sentence_transformers.json';
/** The two names that the length has had. */
const LENGTHS = ['sentence_bert_config.json', 'sentence_roberta_config.json', 'sentence_xlm-roberta_config.json'];

/** What the modules do that we do, too. Any other computes more than this library can. */
const KNOWN_MODULES: readonly unknown[] = ['Transformer', 'Pooling', 'Normalize'];

/** Names of prompts, in the order in which `encode_query` and `encode_document` look for them, and older ones. */
const QUESTION_PROMPTS = ['query', 's2p_query', 'retrieval.query', 'search_query', 'question'];
const DOCUMENT_PROMPTS = ['document', 'passage', 'corpus', 'retrieval.passage', 'search_document'];

/** Modes of pooling by the keys that `1_Pooling/config.json` has for them. */
const MODES: Readonly<Record<string, Pooling>> = {
  pooling_mode_mean_tokens: 'mean',
  // Differs from the mean by a factor, so it is the same at unit length.
  pooling_mode_mean_sqrt_len_tokens: 'mean',
  pooling_mode_cls_token: 'cls',
  pooling_mode_lasttoken: 'last_token',
};
/** The same by the names that later versions write as `pooling_mode`. */
const NAMED_MODES: Readonly<Record<string, Pooling>> = {
  mean: 'mean',
  mean_sqrt_len_tokens: 'mean',
  cls: 'cls',
  lasttoken: 'last_token',
};

/**
 * The settings that the files of sentence-transformers tell. Those that they do not tell are undefined.
 *
 * @throws {SkillSearchError} `MODEL_NOT_READABLE` if a file is wrong, or asks for something that is not supported
 */
export async function readSentenceTransformers(folder: string): Promise<ToldSettings> {
  const { pooling, isPooled } = await readModules(folder);
  const { question, document } = await readPrompts(folder);
  if (isPooled && (question ?? '') + (document ?? '') !== '') await checkPromptsArePooled(folder, pooling);
  return {
    question,
    document,
    pooling: isPooled ? await readPooling(folder, pooling) : 'sentence_embedding',
    maxTokens: await readLength(folder),
  };
}

/** @returns the folder of the pooling, and whether the model does nothing else that we do not */
async function readModules(folder: string): Promise<{ pooling: string; isPooled: boolean }> {
  const usual = { pooling: '1_Pooling', isPooled: true };
  const modules = await readJsonListOf(folder, MODULES, 'modules');
  if (modules === undefined) return usual;
  let { pooling, isPooled } = usual;
  for (const { type, path } of modules) {
    // `sentence_transformers.models.Pooling`: the name of a class.
    const name = String(type).split('.').at(-1);
    if (!KNOWN_MODULES.includes(name)) isPooled = false;
    if (name !== 'Pooling') continue;
    if (typeof path !== 'string' || !/^\w[\w.-]*$/.test(path)) {
      throw unsupported(folder, MODULES, `has a module in ${String(path)}, which is no folder of it`);
    }
    pooling = path;
  }
  return { pooling, isPooled };
}

async function readPooling(folder: string, inside: string): Promise<Pooling | undefined> {
  const file = `${inside}/config.json`;
  const config = await readJsonOf(folder, file);
  if (config === undefined) return undefined;
  const asked =
    typeof config['pooling_mode'] === 'string'
      ? [config['pooling_mode']]
      : Object.keys(config).filter((key) => key.startsWith('pooling_mode_') && config[key] === true);
  const [mode = '', ...more] = asked;
  const pooling = { ...MODES, ...NAMED_MODES }[mode];
  if (pooling !== undefined && more.length === 0) return pooling;
  throw unsupported(folder, file, `asks for the pooling ${asked.join(', ')}: only mean, cls or last token can be used`);
}

async function checkPromptsArePooled(folder: string, inside: string): Promise<void> {
  const file = `${inside}/config.json`;
  const { include_prompt: included = true } = (await readJsonOf(folder, file)) ?? {};
  if (included === false)
    throw unsupported(folder, file, 'leaves the prompt out of the pooling, which is not supported');
}

async function readPrompts(folder: string): Promise<Pick<ToldSettings, 'question' | 'document'>> {
  const config = (await readJsonOf(folder, PROMPTS)) ?? {};
  const prompts = (config['prompts'] ?? {}) as Readonly<Record<string, unknown>>;
  const usual = String(config['default_prompt_name'] ?? '');
  const promptOf = (names: readonly string[]): string | undefined => {
    const name = [...names, usual].find((one) => Object.hasOwn(prompts, one));
    if (name === undefined) return undefined;
    const prompt = prompts[name];
    if (typeof prompt === 'string' && prompt.length <= MAX_PREFIX_LENGTH) return prompt;
    throw unsupported(folder, PROMPTS, `must have as prompt ${name} a text of at most ${MAX_PREFIX_LENGTH} characters`);
  };
  const [question, document] = [promptOf(QUESTION_PROMPTS), promptOf(DOCUMENT_PROMPTS)];
  // Empty prompts are written for every model that was given none.
  return (question ?? '') + (document ?? '') === '' ? {} : { question: question ?? '', document: document ?? '' };
}

async function readLength(folder: string): Promise<number | undefined> {
  const file = LENGTHS.find((name) => existsSync(join(folder, name)));
  const length = file === undefined ? undefined : (await readJsonOf(folder, file))?.['max_seq_length'];
  return typeof length === 'number' && length >= 1 ? length : undefined;
}
