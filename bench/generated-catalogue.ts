import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

/**
 * A catalogue made up from a seed: words by Zipf's law, lengths like those of real catalogues, a share of Chinese text,
 * categories on a third of the skills. The same seed and size give the same bytes on every machine.
 */
export async function writeGeneratedCatalogue(path: string, size: number, seed: number): Promise<void> {
  const random = mulberry32(seed);
  const words = makeVocabulary(random, 40_000);
  const file = createWriteStream(path);
  for (let i = 0; i < size; i++) {
    if (!file.write(`${JSON.stringify(makeRow(i, random, words))}\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
}

type Random = () => number;

/** A small generator with a period of 2^32 (Tommy Ettinger's Mulberry32), values in [0, 1). */
function mulberry32(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const SYLLABLES =
  'ba be bi co da de do fa fi ga go ha in ka ke la le li lo ma me mi na ne no or pa pe po ra re ri ro sa se si ta te ti to va ve vi'.split(
    ' ',
  );
const CHINESE = [...'数据分析测试代码文档生成管理工具自动化部署监控设计搜索模型训练网页安全接口日志报告翻译项目'];
const ENDINGS = ['', '', '', 's', 'ing', 'er', 'ed', 'ment'];
const CATEGORIES = ['testing', 'frontend', 'backend', 'data-analysis', 'cicd', 'documents', 'security', 'design'];

function makeVocabulary(random: Random, size: number): string[] {
  const words = new Set<string>();
  while (words.size < size) {
    const syllables = 1 + Math.floor(random() * 3.4);
    let word = '';
    for (let i = 0; i < syllables; i++) word += pick(random, SYLLABLES);
    words.add(word + pick(random, ENDINGS));
  }
  return [...words];
}

/** A word, the n-th most frequent with a probability in proportion to about 1/n. */
function zipf(random: Random, words: readonly string[]): string {
  return words[Math.floor(words.length ** random()) - 1] as string;
}

function pick<T>(random: Random, items: readonly T[]): T {
  return items[Math.floor(random() * items.length)] as T;
}

function sentence(random: Random, words: readonly string[], length: number): string {
  return Array.from({ length }, () => zipf(random, words)).join(' ');
}

function chinese(random: Random, length: number): string {
  return Array.from({ length }, () => pick(random, CHINESE)).join('');
}

function makeRow(i: number, random: Random, words: readonly string[]): unknown {
  const inChinese = random() < 0.05;
  const name = sentence(random, words, 1 + Math.floor(random() * 3)).replaceAll(' ', '-');
  const author = `author${Math.floor(10_000 * random() ** 2)}`;
  const description = inChinese ? chinese(random, 40) : sentence(random, words, 8 + Math.floor(random() * 45));
  return {
    id: `${author}-repository-${name}-${i}`,
    name: inChinese ? chinese(random, 6) : name,
    author,
    description,
    codehostUrl: `https://code.example/${author}/repository/tree/HEAD/${name}`,
    skillUrl: `https://skills.example/skills/${i}`,
    stars: random() < 0.65 ? 0 : Math.floor(10 ** (random() * 4.5)),
    updatedAt: 1_700_000_000 + Math.floor(random() * 90_000_000),
    categories: random() < 0.33 ? [pick(random, CATEGORIES)] : [],
    occupations: [],
    files: random() < 0.8 ? [{ filename: 'SKILL.md', text: sentence(random, words, 250) }] : [],
  };
}
