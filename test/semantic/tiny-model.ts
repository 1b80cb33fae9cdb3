import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from '../scratch-folder.js';
import { externalTensor, model, node, tensor, value } from './onnx-bytes.js';

/** What {@link tinyModel} writes. */
export interface TinyModel {
  /** Name of the folder. @default 'tiny' */
  readonly name?: string;
  /** Values of a vector. @default 64 */
  readonly dimensions?: number;
  /** Models of another seed have other vectors. @default 1 */
  readonly seed?: number;
  /** Whether [CLS] and [SEP] stand around each text. @default true */
  readonly special?: boolean;
  /** Whether the vector of the n-th entry of the vocabulary is added to that of the n-th token. @default false */
  readonly positions?: boolean;
  /** Further inputs, which change nothing. */
  readonly unused?: readonly { readonly name: string; readonly shape: readonly (string | number)[] }[];
  /** @default ['last_hidden_state'] */
  readonly outputs?: readonly ('last_hidden_state' | 'token_embeddings' | 'sentence_embedding')[];
  /** Whether the model takes one text at a time only. @default false */
  readonly alone?: boolean;
  /** Whether the weights lie in a file of their own. @default false */
  readonly external?: boolean;
  /** More of `config.json` and `tokenizer_config.json`, and other files as JSON by name. */
  readonly config?: object;
  readonly tokenizerConfig?: object;
  readonly files?: Readonly<Record<string, unknown>>;
  /** Where the folder is made. @default a folder of the test */
  readonly inside?: string;
}

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
const PAIRS = LETTERS.flatMap((a) => LETTERS.map((b) => a + b));
const MARKS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', ':', '.', ',', '-'];
/** Enough entries in Latin letters to count as a model that reads them. */
const VOCABULARY = [...MARKS, ...[...LETTERS, ...PAIRS].flatMap((letters) => [letters, `##${letters}`])];

/**
 * Writes the smallest model that the runtime takes: the vector of a token stands in a table, and knows nothing of the
 * tokens beside it. The tokens of a word are pairs of letters. `sentence_embedding` is the mean, negated.
 *
 * @returns the folder
 */
export function tinyModel(options: TinyModel = {}): string {
  const { name = 'tiny', dimensions = 64, seed = 1, inside = scratchFolder(), files = {} } = options;
  const folder = join(inside, name);
  mkdirSync(join(folder, 'onnx'), { recursive: true });
  const write = (file: string, content: unknown): void => {
    mkdirSync(join(folder, file, '..'), { recursive: true });
    writeFileSync(join(folder, file), JSON.stringify(content));
  };
  write('config.json', {
    model_type: 'bert',
    architectures: ['BertModel'],
    hidden_size: dimensions,
    max_position_embeddings: 512,
    ...options.config,
  });
  write('tokenizer_config.json', {
    tokenizer_class: 'BertTokenizer',
    model_max_length: 256,
    unk_token: '[UNK]',
    pad_token: '[PAD]',
    cls_token: '[CLS]',
    sep_token: '[SEP]',
    ...options.tokenizerConfig,
  });
  write('tokenizer.json', tokenizer(options.special ?? true));
  for (const [file, content] of Object.entries(files)) write(file, content);

  const table = randomValues(VOCABULARY.length * dimensions, seed);
  const bytes = Buffer.from(table.buffer);
  const tableTensor =
    options.external === true
      ? externalTensor('table', [VOCABULARY.length, dimensions], 'model.onnx_data', bytes.length)
      : tensor('table', [VOCABULARY.length, dimensions], bytes);
  if (options.external === true) writeFileSync(join(folder, 'onnx/model.onnx_data'), bytes);
  writeFileSync(join(folder, 'onnx/model.onnx'), graph(options, dimensions, tableTensor));
  return folder;
}

/** The vector of each token of the table, for tests that compute what a model should give. */
export function tokenVectors(text: string, { dimensions = 64, seed = 1, special = true }: TinyModel = {}): number[][] {
  const table = randomValues(VOCABULARY.length * dimensions, seed);
  const tokens = (text.toLowerCase().match(/[a-z]+|[^a-z\s]/g) ?? []).flatMap((word) => pieces(word));
  const all = special ? ['[CLS]', ...tokens, '[SEP]'] : tokens;
  return all.map((token) => {
    const row = VOCABULARY.indexOf(token);
    return [...table.subarray(row * dimensions, (row + 1) * dimensions)];
  });
}

/** The vectors of the first entries of the vocabulary. */
export function entryVectors(count: number, { dimensions = 64, seed = 1 }: TinyModel = {}): number[][] {
  const table = randomValues(VOCABULARY.length * dimensions, seed);
  return Array.from({ length: count }, (_, row) => [...table.subarray(row * dimensions, (row + 1) * dimensions)]);
}

function pieces(word: string): string[] {
  if (!/^[a-z]/.test(word)) return [VOCABULARY.includes(word) ? word : '[UNK]'];
  return (word.match(/.{1,2}/g) ?? []).map((piece, i) => (i === 0 ? piece : `##${piece}`));
}

function tokenizer(special: boolean): object {
  const tokenOf = (id: string): object => ({ SpecialToken: { id, type_id: 0 } });
  const text = { Sequence: { id: 'A', type_id: 0 } };
  const marks = Object.fromEntries(
    ['[CLS]', '[SEP]'].map((id) => [id, { id, ids: [VOCABULARY.indexOf(id)], tokens: [id] }]),
  );
  const single = special ? [tokenOf('[CLS]'), text, tokenOf('[SEP]')] : [text];
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: MARKS.slice(0, 4).map((content, id) => ({
      id,
      content,
      special: true,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
    })),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: true,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single,
      pair: [...single, { Sequence: { id: 'B', type_id: 1 } }],
      special_tokens: special ? marks : {},
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(VOCABULARY.map((token, i) => [token, i])),
    },
  };
}

function graph(
  { positions = false, alone = false, unused = [], outputs = ['last_hidden_state'] }: TinyModel,
  dimensions: number,
  table: Buffer,
): Buffer {
  const batch = alone ? 1 : 'batch';
  const tokens = [batch, 'tokens'];
  const shapes = { last_hidden_state: [...tokens, dimensions], token_embeddings: [...tokens, dimensions] };
  const nodes = [node('Gather', ['table', 'input_ids'], ['looked_up'])];
  const initializers = [table];
  const inputs = [value('input_ids', 'int64', tokens), value('attention_mask', 'int64', tokens)];
  let states = 'looked_up';
  if (positions) {
    inputs.push(value('position_ids', 'int64', tokens));
    nodes.push(node('Gather', ['table', 'position_ids'], ['placed']), node('Add', [states, 'placed'], ['positioned']));
    states = 'positioned';
  }
  for (const { name, shape } of unused) inputs.push(value(name, 'float', shape));
  for (const output of outputs) {
    if (output === 'sentence_embedding') {
      nodes.push(node('ReduceMean', [states], ['mean'], { axes: [1], keepdims: 0 }), node('Neg', ['mean'], [output]));
    } else nodes.push(node('Identity', [states], [output]));
  }
  const shapeOf = (output: (typeof outputs)[number]): (string | number)[] =>
    output === 'sentence_embedding' ? [batch, dimensions] : shapes[output];
  return model(
    nodes,
    initializers,
    inputs,
    outputs.map((output) => value(output, 'float', shapeOf(output))),
  );
}

/** Numbers from -1 to 1. */
function randomValues(count: number, seed: number): Float32Array<ArrayBuffer> {
  let state = seed;
  return new Float32Array(count).map(() => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}
