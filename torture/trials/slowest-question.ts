import { ALL_IN_MEMORY, allPieces, MAX_KEYWORD_QUERY_LENGTH, MAX_SEMANTIC_QUERY_LENGTH } from '../../src/core/index.js';
import { openSkillSearch } from '../../src/index.js';
import { readKeywordFile } from '../../src/indexing/keyword-file.js';
import { FIELD_WEIGHTS } from '../../src/keyword/bm25.js';
import { collectKeywords } from '../../src/keyword/build/collect-keywords.js';
import type { DocumentSource, KeywordDocument } from '../../src/keyword/keyword-index.js';
import { PackedIndex } from '../../src/keyword/packed-index.js';
import type { PackedKeywords } from '../../src/keyword/packed-keywords.js';
import { readQuestion } from '../../src/keyword/question.js';
import { TermDictionary } from '../../src/keyword/term-dictionary.js';
import { Work } from '../../src/keyword/work.js';
import { storedRecords } from '../../test/catalogue-file.js';
import type { Trial, TrialContext, TrialOutcome } from '../trial.js';

/** The way in which a question is asked. */
const WAYS = ['relevance', 'recent', 'words'] as const;
type Way = (typeof WAYS)[number];

/** A question that took long, to start the next ones from. */
interface Slow {
  readonly text: string;
  readonly way: Way;
  /** In milliseconds of the processor. */
  readonly time: number;
}

/** Number of slow questions that are kept to start from. */
const KEPT = 30;

/** Every so many questions are also asked without a bound, which may take long. */
const COMPARED_EACH = 20;

/** A question may take so many times what its work takes by the median of all questions. */
const MOST_TIMES_MEDIAN = 20;

/** Milliseconds of any question beside its work, and those in which a clock of the processor may be wrong. */
const TIME_BESIDE_WORK = 50;

/** Questions of which the median is taken, the newest. */
const MOST_MEASURED = 2000;

/** Questions after which the median is known well enough. */
const MEASURED_FROM = 50;

/** Documents of the catalogue that is made up. */
const DOCUMENTS = 400;

/** The most work over the catalogue that is made up: little enough that many questions are cut. */
const SMALL_WORK = 12_000;

/**
 * Looks for the slowest question: random ones first, then changes of those that were slowest. The environment variable
 * `SLOWEST_QUESTION_CATALOGUE` names the file of a catalogue to ask; by default one is made up.
 */
export const SLOWEST_QUESTION: Trial = {
  name: 'slowest-question',
  promise:
    'No question does more work than its bound, nor takes longer than such work does. What is cut is said, is the same each time, and adds no wrong hit.',
  run: async (context: TrialContext): Promise<TrialOutcome> => {
    const catalogue = process.env['SLOWEST_QUESTION_CATALOGUE'];
    const madeUp = madeUpDocuments(context.random);
    const keywords = catalogue === undefined ? collectKeywords(madeUp) : await keywordsOf(catalogue);
    const documents = catalogue === undefined ? madeUp : nameless(keywords.size);
    const limit = catalogue === undefined ? SMALL_WORK : Work.forQuestion(keywords.size).limit;
    const slowest = hunt(keywords, documents, limit, context);
    return { attempts: slowest.attempts, facts: { ...slowest.facts, ...(await timesOf(catalogue, slowest.kept)) } };
  },
};

interface Hunt {
  readonly attempts: number;
  readonly facts: Record<string, number | string>;
  readonly kept: readonly Slow[];
}

function hunt(
  keywords: PackedKeywords,
  documents: DocumentSource,
  limit: number,
  { random, until, say }: TrialContext,
): Hunt {
  const index = new PackedIndex([{ keywords }], documents);
  // It has other words in its caches, and must answer the same.
  const other = new PackedIndex([{ keywords }], documents);
  const terms = termsOf(keywords);
  let kept: Slow[] = [];
  let [attempts, cut, mostWork] = [0, 0, 0];
  // Milliseconds of a unit of work, in each question; before enough were asked, no time is too long.
  const perUnit: number[] = [];
  let median = Number.POSITIVE_INFINITY;
  do {
    const start = kept[Math.floor(random() * kept.length)];
    const way = start === undefined || random() < 0.2 ? WAYS[Math.floor(random() * WAYS.length)]! : start.way;
    const longest = way === 'words' ? MAX_SEMANTIC_QUERY_LENGTH : MAX_KEYWORD_QUERY_LENGTH;
    const made =
      start === undefined || random() < 0.3 ? newQuestion(terms, longest, random) : mutate(start.text, terms, random);
    const text = [...made].slice(0, longest).join('');
    const work = new Work(limit);
    const [answer, firstTime] = timed(() => ask(index, text, way, work));
    attempts += 1;
    mostWork = Math.max(mostWork, work.spent);
    if (work.truncated) cut += 1;
    const told = `${way} ${JSON.stringify(text)}`;
    if (attempts % COMPARED_EACH === 0) {
      const again = new Work(limit);
      if (JSON.stringify(ask(other, text, way, again)) !== JSON.stringify(answer) || again.spent !== work.spent) {
        throw new Error(`asked again, the answer or its work is another: ${told}`);
      }
      compare(answer, ask(other, text, way, new Work()), way, work.truncated, told);
    }
    const isSlow = (one: number): boolean => kept.length < KEPT || one > kept.at(-1)!.time;
    // Compiling, or collecting garbage of the questions before, may have taken the time.
    const time = isSlow(firstTime)
      ? Math.min(firstTime, timed(() => ask(index, text, way, new Work(limit)))[1])
      : firstTime;
    if (work.spent > 0) perUnit.push(time / work.spent);
    if (attempts % MEASURED_FROM === 0) median = medianOf(perUnit.slice(-MOST_MEASURED));
    const most = TIME_BESIDE_WORK + MOST_TIMES_MEDIAN * median * limit;
    if (time > most) throw new Error(`${time.toFixed(1)} ms, more than ${most.toFixed(1)}: ${told}`);
    if (isSlow(time)) {
      if (time > (kept[0]?.time ?? 0)) say(`${time.toFixed(1)} ms, ${Math.round(work.spent)} units: ${told}`);
      kept = [...kept.filter((one) => one.text !== text), { text, way, time }]
        .sort((a, b) => b.time - a.time)
        .slice(0, KEPT);
    }
  } while (performance.now() < until);
  const facts = { 'bound of the work': limit, 'most work': mostWork, 'questions cut': cut };
  const slowest = kept[0]?.time.toFixed(1) ?? '';
  const bound = (TIME_BESIDE_WORK + MOST_TIMES_MEDIAN * median * limit).toFixed(1);
  return { attempts, facts: { ...facts, 'slowest, milliseconds of a processor': slowest, 'bound, ms': bound }, kept };
}

function medianOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.POSITIVE_INFINITY;
}

/** What a piece of work returns, and how long it takes, in milliseconds of the processor. */
function timed<T>(run: () => T): [result: T, time: number] {
  const began = process.cpuUsage();
  const result = run();
  const { user, system } = process.cpuUsage(began);
  return [result, (user + system) / 1000];
}

/** The documents that answer a question, ascending, or the best ones by words. */
function ask(index: PackedIndex, text: string, way: Way, work: Work): number[] {
  const question = readQuestion(text);
  if (way === 'words') {
    const { documents } = allPieces(index.rank(question, { weights: FIELD_WEIGHTS, limit: 125, work }));
    // A search by meaning looks for names, too.
    return [...documents, ...index.named(question), ...index.beginning(question)];
  }
  return [...index.match(question, { scored: way === 'relevance', work }).documents];
}

/** @throws Error if an answer has what the exact one has not */
function compare(answer: number[], exact: number[], way: Way, truncated: boolean, told: string): void {
  if (!truncated && answer.join() !== exact.join())
    throw new Error(`the answer is not exact, and does not say so: ${told}`);
  // The best documents by fewer words may be others.
  if (way === 'words') return;
  const right = new Set(exact);
  const wrong = answer.filter((document) => !right.has(document));
  if (wrong.length > 0) throw new Error(`${wrong.length} documents do not match: ${told}`);
}

/** The times of the slowest questions, asked once more through the library. */
async function timesOf(catalogue: string | undefined, kept: readonly Slow[]): Promise<Record<string, number | string>> {
  if (catalogue === undefined) return {};
  await using search = await openSkillSearch({ database: catalogue });
  let worst = { time: 0, told: '' };
  for (const { text, way } of kept) {
    // A question without a letter or digit is refused.
    if (!/[\p{L}\p{N}]/u.test(text)) continue;
    const began = performance.now();
    if (way === 'words') await search.semantic({ q: text, ranking: 'words' });
    else storedRecords(search, { q: text, sortBy: way });
    const time = performance.now() - began;
    if (time > worst.time) worst = { time, told: `${way} ${JSON.stringify(text)}` };
  }
  return { 'slowest, milliseconds': Math.round(worst.time), 'slowest question': worst.told };
}

async function keywordsOf(catalogue: string): Promise<PackedKeywords> {
  const content = await readKeywordFile(catalogue);
  if (content === undefined) throw new Error(`${catalogue} has no keyword file of this version`);
  return content.keywords;
}

const NAMELESS: KeywordDocument = { name: '', author: '', labels: [], description: '', files: [] };

/** Documents whose names nobody asks for. */
function nameless(size: number): DocumentSource {
  return { size, read: () => NAMELESS, nameOf: () => '', all: () => [] };
}

/** Syllables of the words that are made up. Some have accents, some are read in pairs of characters. */
const SYLLABLES = ['ka', 'to', 'ri', 'mé', 'son', 'pre', 'con', 'ing', 'ed', 'for', '数据', '分析', '記'];

/** Documents of words of which a few are very frequent, as in real texts. */
function madeUpDocuments(random: () => number): DocumentSource {
  const word = (): string => {
    // The square makes small numbers frequent.
    const rank = Math.floor(random() ** 2 * 300);
    const [first, second, third] = [rank % 13, Math.floor(rank / 13) % 13, Math.floor(rank / 169)];
    return SYLLABLES[first]! + SYLLABLES[second]! + (third === 0 ? '' : SYLLABLES[third]!);
  };
  const words = (count: number): string =>
    Array.from({ length: 1 + Math.floor(random() * count) }, word).join(random() < 0.1 ? '-' : ' ');
  const all = Array.from({ length: DOCUMENTS }, (): KeywordDocument => {
    const files = random() < 0.5 ? [] : [{ filename: 'SKILL.md', text: words(80) }];
    return { name: words(3), author: word(), labels: [word()], description: words(20), files };
  });
  const read = (document: number): KeywordDocument => all[document]!;
  return { size: all.length, read, nameOf: (document) => read(document).name, all: () => all };
}

/** Words of a catalogue to make questions of. */
interface CatalogueTerms {
  /** The most frequent ones, the most frequent first. */
  readonly frequent: readonly string[];
  /** Of all frequencies. */
  readonly any: readonly string[];
  /** Characters that begin many pairs of characters; empty where there are none. */
  readonly characters: readonly string[];
}

type Random = () => number;

/** How many frequent words are known, and how many of others. */
const FREQUENT = 2000;
const OTHERS = 5000;
const CHARACTERS = 200;

function termsOf({ dictionary, postings }: PackedKeywords): CatalogueTerms {
  const terms = new TermDictionary(dictionary, ALL_IN_MEMORY);
  const { listStarts, entryStarts } = postings;
  const sizeOf = (term: number): number => entryStarts[listStarts[term + 1]!]! - entryStarts[listStarts[term]!]!;
  const bySize = Uint32Array.from({ length: terms.size }, (_, term) => term).sort((a, b) => sizeOf(b) - sizeOf(a));
  const step = Math.max(1, Math.floor(terms.size / OTHERS));
  const any = Array.from({ length: Math.floor(terms.size / step) }, (_, i) => terms.termAt(i * step));
  const pairs = new Map<string, number>();
  for (let term = 0; term < terms.size; term++) {
    const [first = ''] = dictionary.forms.bytes[dictionary.forms.starts[term]!]! < 0x80 ? '' : terms.termAt(term);
    if (/\p{Lo}/u.test(first)) pairs.set(first, (pairs.get(first) ?? 0) + 1);
  }
  return {
    frequent: Array.from(bySize.subarray(0, FREQUENT), (term) => terms.termAt(term)),
    any,
    characters: [...pairs]
      .sort((a, b) => b[1] - a[1])
      .slice(0, CHARACTERS)
      .map(([character]) => character),
  };
}

/** A word: mostly one of the most frequent. */
function word({ frequent, any, characters }: CatalogueTerms, random: Random): string {
  const draw = random();
  if (draw < 0.15) return pick(any, random);
  if (draw < 0.25 && characters.length > 0) {
    return Array.from({ length: 1 + Math.floor(random() * 8) }, () => pick(characters, random)).join('');
  }
  return frequent[Math.floor(random() ** 3 * frequent.length)] ?? 'a';
}

const SEPARATORS = [' ', ' ', ' ', ' ', '-', '_', '.', '" "', ' "', '" '];

/** A question of random words in a random manner. */
function newQuestion(terms: CatalogueTerms, longest: number, random: Random): string {
  const separator = pick(SEPARATORS, random);
  const few = Array.from({ length: 1 + Math.floor(random() * 6) }, () => word(terms, random));
  const isRepeated = random() < 0.3;
  const words: string[] = [];
  for (let length = 0; length < longest * random(); length += words.at(-1)!.length + 1) {
    words.push(isRepeated ? pick(few, random) : word(terms, random));
  }
  const change = pick(CHANGES_OF_A_WORD, random);
  const changed = random() < 0.5 ? words : words.map((one) => change(one, random));
  const text = changed.join(separator);
  return random() < 0.3 ? `"${text}"` : text;
}

/** A change of a question that was slow. */
function mutate(text: string, terms: CatalogueTerms, random: Random): string {
  let changed = text;
  do {
    const words = changed.split(' ');
    const at = Math.floor(random() * words.length);
    const change = random();
    if (change < 0.2) words.splice(at, 0, word(terms, random));
    else if (change < 0.4) words[at] = word(terms, random);
    else if (change < 0.5) words.splice(at, 1);
    else if (change < 0.65) words[at] = pick(CHANGES_OF_A_WORD, random)(words[at]!, random);
    else if (change < 0.75) words.splice(at, 2, words.slice(at, at + 2).join(pick(SEPARATORS, random)));
    else if (change < 0.85) words.splice(at, 3, `"${words.slice(at, at + 3).join(' ')}"`);
    else if (change < 0.92) words.push(...words.slice(at));
    else words.unshift(words.pop()!);
    changed = words.join(' ');
  } while (random() < 0.5);
  return changed;
}

const ACCENTED: Readonly<Record<string, string>> = { a: 'á', e: 'é', i: 'í', o: 'ó', u: 'ú', c: 'ç', n: 'ñ' };

/** Ways to write a word otherwise. */
const CHANGES_OF_A_WORD: readonly ((word: string, random: Random) => string)[] = [
  (one) => one.replace(/[aeioucn]/, (letter) => ACCENTED[letter]!),
  (one) => one.charAt(0).toUpperCase() + one.slice(1),
  (one, random) => one.slice(0, 3 + Math.floor(random() * 3)),
  (one, random) => spliced(one, random, ''),
  (one, random) => spliced(one, random, 'x'),
  (one) => `x${one}`,
  (one) => `"${one} ${one}"`,
  (one) => [...one].join('-'),
  (one) => [...one].join(' '),
  (one) => one + one.charAt(0).toUpperCase() + one.slice(1),
];

/** A word in which a letter is replaced. */
function spliced(one: string, random: Random, letter: string): string {
  const at = Math.floor(random() * one.length);
  return one.slice(0, at) + letter + one.slice(at + 1);
}

function pick<T>(list: readonly T[], random: Random): T {
  return list[Math.floor(random() * list.length)]!;
}
