import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { markdownTable } from '../../bench/markdown-table.js';
import {
  buildCatalogue,
  copyCatalogue,
  openSkillSearch,
  removeSkills,
  type SkillSearch,
  updateSkills,
} from '../../src/index.js';
import { ATTACKS, canBeDisguised, firstSentence, typedName, type Victim, wordsOf } from '../manipulation/attackers.js';
import type { Trial } from '../trial.js';

const SAMPLE = fileURLToPath(new URL('../../data/sample/skills.jsonl', import.meta.url));
/** A description that says something. */
const DESCRIPTION = /^(?=.*\p{L}{2}).{60}/su;
const MODES = ['keyword', 'words', 'vector', 'hybrid'] as const;
/** Their answers may change with the graph of vectors, which is searched nearly exactly. They are counted. */
const BY_MEANING: ReadonlySet<string> = new Set(['vector', 'hybrid']);
const QUESTIONS = { name: typedName, description: firstSentence };
const ASKED = (['name', 'description'] as const).flatMap((form) => MODES.map((mode) => ({ form, mode })));

/** What the victims' questions are answered with: ids of the first five hits, by what is asked and by victim. */
type Answers = readonly (readonly (readonly string[])[])[];

/** Puts skills of unknown authors into a catalogue that want the place of famous ones, and counts which of them win. */
export const MANIPULATION: Trial = {
  name: 'manipulation',
  promise: 'What skills of unknown authors win in answers is counted, and without them answers by words are as before.',
  begin: async ({ random, folder, database: given, victims: most, isLong, say }) => {
    const database = join(folder, 'skills.db');
    if (given === undefined) {
      const rows = readFileSync(SAMPLE, 'utf8').trim().split('\n');
      await buildCatalogue({ database, sources: [{ name: 'rows', rows: rows.map((row) => JSON.parse(row)) }] });
    } else await copyCatalogue({ from: given, to: database });
    const victims = await withSearch(database, (search) => victimsOf(search, most));
    const answersNow = (): Promise<Answers> => withSearch(database, (search) => ask(search, victims));
    const before = await answersNow();
    const isFirst = (ids: readonly string[], i: number): boolean => ids[0] === victims[i]!.skill.id;
    const firstBefore = before.map((answers) => answers.filter(isFirst).length);
    const table: string[][] = [];
    const addRows = (kind: string, cellOf: (column: number) => string): void => {
      for (let at = 0; at < ASKED.length; at += MODES.length) {
        table.push([kind, ASKED[at]!.form, ...MODES.map((_, i) => cellOf(at + i))]);
      }
    };
    const facts = {
      victims: victims.length,
      attackers: 0,
      'first places taken': 0,
      'answers by meaning changed afterwards': 0,
    };
    const attempt = async (): Promise<number> => {
      table.length = 0;
      addRows('none: the victim is first', (column) => percent(firstBefore[column]!, victims.length));
      for (const [kind, attack] of Object.entries(ATTACKS)) {
        const rows = victims.map((victim, i) => attackerRow(i, attack(victim, random)));
        const { rejected } = await updateSkills({ database, rows });
        if (rejected.length > 0) throw new Error(`an attacker was rejected: ${rejected[0]!.reason}`);
        const now = await answersNow();
        addRows(kind, (column) => {
          const [was, is] = [before[column]!, now[column]!];
          const taken = is.filter(([first], i) => isFirst(was[i]!, i) && isAttacker(first)).length;
          const inFive = is.filter((ids) => ids.some(isAttacker)).length;
          facts['first places taken'] += taken;
          return `${percent(taken, firstBefore[column]!)} / ${percent(inFive, victims.length)}`;
        });
        facts.attackers += rows.length;
        await removeSkills({ database, ids: rows.map(({ id }) => id) });
        say(`tried: ${kind}`);
      }
      for (const [column, answers] of (await answersNow()).entries()) {
        const changed = answers.filter((ids, i) => !isDeepStrictEqual(ids, before[column]![i])).length;
        if (BY_MEANING.has(ASKED[column]!.mode)) facts['answers by meaning changed afterwards'] += changed;
        else if (changed > 0) throw new Error(`attackers that were removed changed ${changed} answers by words`);
      }
      return Object.keys(ATTACKS).length * victims.length;
    };
    const end = (): void => {
      if (isLong) console.log(`\n${markdownTable(['attack', 'question', ...MODES], table)}\n`);
    };
    return { facts, attempt, end };
  },
};

async function withSearch<T>(database: string, use: (search: SkillSearch) => T | Promise<T>): Promise<T> {
  await using search = await openSkillSearch({ database });
  return await use(search);
}

/** The skills with the most stars, one of a repository and one of a name. */
async function victimsOf(search: SkillSearch, most: number): Promise<Victim[]> {
  const taken = new Set<string>();
  const victims: Victim[] = [];
  for (let page = 1; victims.length < most; page++) {
    const { hits } = search.list({ sortBy: 'stars', page, limit: 50 });
    if (hits.length === 0) break;
    for (const { skill } of hits) {
      const keys = [typedName(skill.name).toLowerCase(), skill.codehostUrl.split('/tree/')[0]!];
      const fits = DESCRIPTION.test(skill.description) && canBeDisguised(skill.name);
      if (!fits || victims.length === most || keys.some((key) => taken.has(key))) continue;
      for (const key of keys) taken.add(key);
      const similar = (await search.similar(skill.id, { limit: 20 })).map((other) => other.skill);
      const files = [skill, ...similar].flatMap(({ id }) => search.files(id).map(({ text }) => text.slice(0, 8000)));
      const texts = [skill, ...similar].map(({ name, description }) => `${name} ${description}`);
      victims.push({ skill, topic: wordsOf([...texts, ...files]) });
    }
  }
  return victims;
}

async function ask(search: SkillSearch, victims: readonly Victim[]): Promise<Answers> {
  const answers: string[][][] = [];
  for (const { form, mode } of ASKED) {
    const found: string[][] = [];
    for (const { skill } of victims) {
      const query = { q: QUESTIONS[form](skill[form]), limit: 5 };
      const { hits } = mode === 'keyword' ? search.keyword(query) : await search.semantic({ ...query, ranking: mode });
      found.push(hits.map((hit) => hit.skill.id));
    }
    answers.push(found);
  }
  return answers;
}

const ATTACKER = 'manipulation-attacker-';

function attackerRow(i: number, { text, ...fields }: ReturnType<(typeof ATTACKS)[string]>) {
  const author = `unknown-author-${i}`;
  const codehostUrl = `https://code.example/${author}/skills`;
  const files = [{ filename: 'SKILL.md', text }];
  return {
    id: `${ATTACKER}${i}`,
    author,
    codehostUrl,
    stars: 0,
    updatedAt: Math.floor(Date.now() / 1000),
    files,
    ...fields,
  };
}

function isAttacker(id: string | undefined): boolean {
  return id?.startsWith(ATTACKER) ?? false;
}

function percent(count: number, of: number): string {
  return of === 0 ? '-' : ((100 * count) / of).toFixed(1);
}
