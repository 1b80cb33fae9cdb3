import { MAX_MODEL_TOKENS } from '../../core/index.js';
import { unsupported } from './read-json.js';

/** Tokens that are read if nobody asks for more: names and descriptions are shorter, and the time grows faster. */
const USUAL_LIMIT = 512;

/** Models whose positions begin behind the padding token, so that they have two fewer. */
const WITH_OFFSET: readonly unknown[] = ['roberta', 'xlm-roberta', 'camembert', 'mpnet'];

/** Where a limit may be told. */
interface TokenLimits {
  /** By `skill-discovery.json`. */
  readonly own: number | undefined;
  /** By sentence-transformers. */
  readonly told: number | undefined;
  /** `config.json` and `tokenizer_config.json`. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly tokenizer: Readonly<Record<string, unknown>>;
}

/**
 * How many tokens of a text a model is to read.
 *
 * @returns undefined if the tokenizer cuts texts there anyway
 * @throws {SkillSearchError} `MODEL_NOT_READABLE` if its own settings ask for more than it can read
 */
export function tokenLimit(folder: string, { own, told, config, tokenizer }: TokenLimits): number | undefined {
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
