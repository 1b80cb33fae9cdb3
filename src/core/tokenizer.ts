import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A tokenizer, and what the files of its folder say. */
export interface ReadTokenizer {
  readonly tokenizer: Tokenizer;
  /** Tokens of a text that are read, by `tokenizer_config.json`; infinite if it does not say. */
  readonly most: number;
  /** Entries of the vocabulary. */
  vocabulary(): readonly string[];
}

/**
 * Reads the tokenizer of a model. For that of the bundled model it takes some 10 ms; for other kinds of tokenizers a
 * package is loaded.
 *
 * @param folder of the model, in the layout of Transformers.js
 * @throws {Error} if a file cannot be read, or the tokenizer is of a kind that is not known
 */
export async function readTokenizer(folder: string): Promise<ReadTokenizer> {
  const { content, config } = readFiles(folder);
  const limit = config['model_max_length'];
  const most = typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY;
  const pieces = WordPieceTokenizer.of(content, config);
  if (pieces !== undefined) return { tokenizer: pieces, most, vocabulary: () => pieces.vocabulary };
  const { Tokenizer: AnyTokenizer } = await import('@huggingface/tokenizers');
  const tokenizer = new AnyTokenizer(content, config);
  return { tokenizer, most, vocabulary: () => tokenizer.model?.vocab ?? [] };
}

/**
 * Reads the tokenizer of a model that splits words into pieces, without a package.
 *
 * @throws {Error} if a file cannot be read, or the tokenizer is of another kind
 */
export function readWordPieces(folder: string): WordPieceTokenizer {
  const { content, config } = readFiles(folder);
  const pieces = WordPieceTokenizer.of(content, config);
  if (pieces === undefined) throw new Error('the tokenizer is of another kind');
  return pieces;
}

function readFiles(folder: string) {
  const [content, config] = ['tokenizer.json', 'tokenizer_config.json'].map(
    (name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Readonly<Record<string, unknown>>,
  );
  return { content: content!, config: config! };
}

/** Turns texts into the numbers of a vocabulary's entries. */
export interface Tokenizer {
  /** With the marks that the model wants around a text. */
  encode(text: string): { readonly ids: readonly number[] };
  /** The entries of a text, without marks. */
  tokenize(text: string): readonly string[];
}

/** What is read of a `tokenizer.json`. Anything may be missing. */
interface Content {
  readonly added_tokens?: readonly AddedToken[];
  readonly normalizer?: Readonly<Record<string, unknown>> | null;
  readonly pre_tokenizer?: Readonly<Record<string, unknown>> | null;
  readonly post_processor?: { readonly type?: unknown; readonly single?: readonly TemplatePart[] } | null;
  readonly model?: {
    readonly type?: unknown;
    readonly vocab?: Vocabulary;
    readonly unk_token?: string;
    readonly continuing_subword_prefix?: unknown;
    readonly max_input_chars_per_word?: unknown;
    readonly fuse_unk?: unknown;
  };
}

type Vocabulary = Readonly<Record<string, number>>;

interface AddedToken {
  readonly id: number;
  readonly content: string;
  readonly normalized?: unknown;
  readonly lstrip?: unknown;
  readonly rstrip?: unknown;
}

interface TemplatePart {
  readonly SpecialToken?: { readonly id: string };
  readonly Sequence?: { readonly id: string };
}

/** Characters of a longer word are not looked at: it is unknown. */
const LONGEST_WORD = 100;

/** Characters of a word of which every beginning is looked up, however short the entries of a vocabulary are. */
const USUAL_WORD = 24;

const PRINTABLE_ASCII = /^[ -~]*$/;
const CONTROL = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u;
const WORD_OR_PUNCTUATION = /[^\s\p{P}!-/:-@[-`{-~]+|[\p{P}!-/:-@[-`{-~]/gu;

/**
 * The tokenizer of BERT in lower case, as models for questions mostly have it: Devlin, Chang, Lee and Toutanova, BERT
 * (2018), and its WordPiece. It looks words up in the vocabulary as it was parsed. The package for all kinds of
 * tokenizers makes tables of it first, which takes five times as long as parsing, more than all else of a question.
 */
export class WordPieceTokenizer implements Tokenizer {
  readonly #vocabulary: Vocabulary;
  readonly #added: ReadonlyMap<string, number>;
  /** Finds added tokens in a text. */
  readonly #addedPattern: RegExp | undefined;
  readonly #unknown: string;
  readonly #prefix: string;
  readonly #before: readonly number[];
  readonly #after: readonly number[];
  #longest: number | undefined;

  private constructor(
    vocabulary: Vocabulary,
    { added, unknown, prefix }: { added: ReadonlyMap<string, number>; unknown: string; prefix: string },
    [before, after]: readonly [readonly number[], readonly number[]],
  ) {
    this.#vocabulary = vocabulary;
    this.#added = added;
    // Where several begin, the longest is meant.
    const contents = [...added.keys()].sort((a, b) => b.length - a.length).map(escaped);
    this.#addedPattern = contents.length === 0 ? undefined : new RegExp(`(${contents.join('|')})`);
    this.#unknown = unknown;
    this.#prefix = prefix;
    this.#before = before;
    this.#after = after;
  }

  /**
   * @param content of `tokenizer.json`, parsed
   * @param config of `tokenizer_config.json`, parsed
   * @returns undefined if these describe another kind of tokenizer
   */
  static of(content: unknown, config: Readonly<Record<string, unknown>>): WordPieceTokenizer | undefined {
    const { added_tokens: tokens = [], normalizer, pre_tokenizer: splitter, model, ...rest } = content as Content;
    const { vocab, unk_token: unknown, continuing_subword_prefix: prefix } = model ?? {};
    const isBert =
      config['tokenizer_class'] === 'BertTokenizer' &&
      config['remove_space'] !== true &&
      config['do_lowercase_and_remove_accent'] !== true &&
      normalizer?.['type'] === 'BertNormalizer' &&
      normalizer['clean_text'] === true &&
      normalizer['handle_chinese_chars'] === true &&
      normalizer['lowercase'] === true &&
      normalizer['strip_accents'] !== false &&
      splitter?.['type'] === 'BertPreTokenizer' &&
      model?.type === 'WordPiece' &&
      model.max_input_chars_per_word === LONGEST_WORD &&
      model.fuse_unk !== true;
    const areAddedPlain = tokens.every(
      ({ content: text, normalized, lstrip, rstrip }) =>
        text !== '' && normalized === false && lstrip !== true && rstrip !== true,
    );
    if (!isBert || !areAddedPlain || vocab === undefined || typeof prefix !== 'string') return undefined;
    if (unknown === undefined || !Object.hasOwn(vocab, unknown)) return undefined;
    const added = new Map(tokens.map(({ content: text, id }) => [text, id]));
    const idOf = (token: string): number | undefined =>
      added.get(token) ?? (Object.hasOwn(vocab, token) ? vocab[token] : undefined);
    const marks = marksOf(rest.post_processor, idOf);
    return marks && new WordPieceTokenizer(vocab, { added, unknown, prefix }, marks);
  }

  /** The entries, by their numbers. */
  get vocabulary(): readonly string[] {
    const entries: string[] = [];
    for (const [entry, id] of Object.entries(this.#vocabulary)) entries[id] = entry;
    for (const [entry, id] of this.#added) entries[id] = entry;
    return entries;
  }

  encode(text: string): { readonly ids: readonly number[] } {
    const ids = this.tokenize(text).map((token) => this.#added.get(token) ?? this.#vocabulary[token]!);
    return { ids: [...this.#before, ...ids, ...this.#after] };
  }

  tokenize(text: string): string[] {
    const tokens: string[] = [];
    for (const part of this.#addedPattern === undefined ? [text] : text.split(this.#addedPattern)) {
      if (this.#added.has(part)) tokens.push(part);
      else for (const [word] of normalised(part).matchAll(WORD_OR_PUNCTUATION)) this.#addPieces(word, tokens);
    }
    return tokens;
  }

  /** In UTF-16 units, of which a character has one at least. Found out late: few texts have words of such length. */
  #longestEntry(): number {
    this.#longest ??= this.vocabulary.reduce((longest, { length }) => Math.max(longest, length), 0);
    return this.#longest;
  }

  /** The longest entry that a word begins with, then that of the rest, and so on. */
  #addPieces(word: string, tokens: string[]): void {
    const characters = [...word];
    const first = tokens.length;
    const most = characters.length > USUAL_WORD ? this.#longestEntry() : USUAL_WORD;
    for (let start = 0; start < characters.length; ) {
      let end = characters.length > LONGEST_WORD ? start : Math.min(characters.length, start + most);
      for (; end > start; end--) {
        const piece = (start > 0 ? this.#prefix : '') + characters.slice(start, end).join('');
        if (!Object.hasOwn(this.#vocabulary, piece) && !this.#added.has(piece)) continue;
        tokens.push(piece);
        break;
      }
      if (end === start) {
        tokens.length = first;
        tokens.push(this.#unknown);
        return;
      }
      start = end;
    }
  }
}

/** What stands before and after a text; undefined if the template says something else. */
function marksOf(
  template: Content['post_processor'],
  idOf: (token: string) => number | undefined,
): readonly [readonly number[], readonly number[]] | undefined {
  const parts = template?.single;
  if (template?.type !== 'TemplateProcessing' || !Array.isArray(parts)) return undefined;
  const marks: [number[], number[]] = [[], []];
  let sequences = 0;
  for (const { SpecialToken: special, Sequence: sequence } of parts as readonly TemplatePart[]) {
    if (sequence?.id === 'A') sequences++;
    const id = special === undefined ? undefined : idOf(special.id);
    if (special !== undefined && id !== undefined) marks[sequences === 0 ? 0 : 1].push(id);
    else if (sequence?.id !== 'A') return undefined;
  }
  return sequences === 1 ? marks : undefined;
}

/** A text without control characters and accents, in lower case, with blanks around Chinese characters. */
function normalised(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return text.toLowerCase();
  let clean = '';
  for (const character of text) {
    if (character === '\0' || character === '\ufffd') continue;
    if (character !== '\t' && character !== '\n' && character !== '\r' && CONTROL.test(character)) continue;
    if (/^\s$/.test(character)) clean += ' ';
    else clean += isChinese(character) ? ` ${character} ` : character;
  }
  return clean
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '');
}

/** Of two UTF-16 units none counts, in the package neither: models in use were asked like that. */
function isChinese(character: string): boolean {
  const code = character.length === 1 ? character.charCodeAt(0) : 0;
  return (code >= 0x4e00 && code <= 0x9fff) || (code >= 0x3400 && code <= 0x4dbf) || (code >= 0xf900 && code <= 0xfaff);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
