import type { ToldSettings } from './model-settings.js';

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
export function familySettings(names: readonly string[]): ToldSettings {
  for (const name of names) {
    const family = FAMILIES.find(([pattern]) => pattern.test(name.toLowerCase()));
    if (family !== undefined) return family[1];
  }
  return {};
}
