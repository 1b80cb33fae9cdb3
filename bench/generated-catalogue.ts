import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { randomNumbers } from '../src/evaluation/compare.js';
import { GeneratedWords } from './generated-words.js';
import { pick, type Random } from './random.js';

export interface GeneratedOptions {
  /** Whether four of five skills have a file of some 250 words. @default true */
  readonly fileText?: boolean;
}

/**
 * A catalogue made up from a seed: frequencies of words, lengths, stars, dates and labels like those of 94,254 real
 * skills, of which only these numbers are here. The same seed and size give the same bytes on every machine.
 */
export async function writeGeneratedCatalogue(
  path: string,
  size: number,
  seed: number,
  options: GeneratedOptions = {},
): Promise<void> {
  const file = createWriteStream(path);
  let lines = '';
  for (const row of generatedRows(size, seed, options)) {
    lines += `${JSON.stringify(row)}\n`;
    if (lines.length < CHUNK) continue;
    if (!file.write(lines)) await once(file, 'drain');
    lines = '';
  }
  file.end(lines);
  await once(file, 'finish');
}

const CHUNK = 1 << 20;

/** The rows of {@link writeGeneratedCatalogue}. */
export function* generatedRows(
  size: number,
  seed: number,
  { fileText = true }: GeneratedOptions = {},
): Generator<GeneratedRow> {
  const random = randomNumbers(seed);
  const words = new GeneratedWords(random);
  for (let i = 0; i < size; i++) yield makeRow(i, size, random, words, fileText);
}

export interface GeneratedRow {
  readonly id: string;
  readonly name: string;
  readonly author: string;
  readonly description: string;
  readonly codehostUrl: string;
  readonly skillUrl: string;
  readonly stars: number;
  readonly updatedAt: number;
  readonly categories: readonly string[];
  readonly occupations: readonly string[];
  readonly files: readonly { readonly filename: string; readonly text: string }[];
}

/** Share of the skills and the figure that so many are at most at, ascending. */
type Quantiles = readonly (readonly [share: number, figure: number])[];

const WORDS_OF_DESCRIPTION: Quantiles = [
  [0, 1],
  [0.01, 3],
  [0.05, 7],
  [0.1, 10],
  [0.25, 16],
  [0.5, 26],
  [0.75, 37],
  [0.9, 53],
  [0.95, 67],
  [0.99, 107],
  [0.999, 163],
  [1, 428],
];
const WORDS_OF_NAME: Quantiles = [
  [0, 1],
  [0.15, 1],
  [0.5, 2.5],
  [0.75, 3.5],
  [0.9, 4.5],
  [0.95, 5.5],
  [0.99, 8.5],
  [1, 15],
];
const STARS: Quantiles = [
  [0, 0],
  [0.66, 0],
  [0.75, 10],
  [0.9, 2384],
  [0.95, 18_218],
  [0.99, 100_106],
  [1, 242_476],
];
/** A third of all skills has the time of one re-publication. */
const UPDATED_AT: Quantiles = [
  [0, 1_760_572_800],
  [0.05, 1_767_499_770],
  [0.1, 1_767_499_770],
  [0.25, 1_769_733_658],
  [0.5, 1_783_022_204],
  [0.9, 1_783_022_204],
  [0.95, 1_783_432_497],
  [1, 1_787_419_201],
];
const CHINESE = [...'数据分析测试代码文档生成管理工具自动化部署监控设计搜索模型训练网页安全接口日志报告翻译项目'];
const SHARE_IN_CHINESE = 0.048;
const SHARE_LABELLED = 0.33;
const CATEGORIES = 300;
const SKILLS_AN_AUTHOR = 5;

function makeRow(i: number, size: number, random: Random, words: GeneratedWords, fileText: boolean): GeneratedRow {
  const inChinese = random() < SHARE_IN_CHINESE;
  const slug = words.name(Math.floor(quantile(WORDS_OF_NAME, random())));
  const length = Math.floor(quantile(WORDS_OF_DESCRIPTION, random()));
  const author = `author${harmonic(random, Math.ceil(size / SKILLS_AN_AUTHOR))}`;
  return {
    id: `${author}-repository-${slug}-${i}`,
    name: inChinese ? chinese(random, 6) : slug,
    author,
    description: inChinese ? chinese(random, 20 + length) : words.text(length),
    codehostUrl: `https://code.example/${author}/repository/tree/HEAD/${slug}`,
    skillUrl: `https://skills.example/skills/${i}`,
    stars: Math.floor(quantile(STARS, random())),
    updatedAt: Math.floor(quantile(UPDATED_AT, random())),
    categories: random() < SHARE_LABELLED ? [`category-${harmonic(random, CATEGORIES)}`] : [],
    occupations: [],
    files: fileText && random() < 0.8 ? [{ filename: 'SKILL.md', text: words.text(250) }] : [],
  };
}

function quantile(quantiles: Quantiles, share: number): number {
  const next = Math.max(
    1,
    quantiles.findIndex(([above]) => above >= share),
  );
  const [[from, low], [to, high]] = [quantiles[next - 1], quantiles[next]] as [[number, number], [number, number]];
  return low + ((share - from) / (to - from)) * (high - low);
}

/** A number from 1 to `size`; n is chosen with a probability in proportion to about 1/n. */
function harmonic(random: Random, size: number): number {
  return Math.floor(size ** random());
}

function chinese(random: Random, length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) text += pick(random, CHINESE);
  return text;
}
