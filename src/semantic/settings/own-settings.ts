import { describeValue, MAX_MODEL_TOKENS, MAX_PREFIX_LENGTH } from '../../core/index.js';
import type { ModelSettings, ToldSettings } from './model-settings.js';
import { readJsonOf, unsupported } from './read-json.js';

/** Optional file of a model's folder with our own settings, which win over all others. */
const FILE = 'skill-discovery.json';

const POOLINGS: readonly unknown[] = ['mean', 'cls', 'last_token', 'sentence_embedding'];

const isPrefix = (value: unknown): boolean => typeof value === 'string' && value.length <= MAX_PREFIX_LENGTH;
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
export async function readOwnSettings(folder: string): Promise<ToldSettings> {
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
