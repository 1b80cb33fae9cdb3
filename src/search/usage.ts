import { statSync } from 'node:fs';
import {
  appendUsage,
  checkIds,
  checkOptions,
  checkText,
  isUsageOff,
  namesOf,
  packVector,
  readUsageFile,
  type UsageEntry,
  type UsageMark,
  usageFile,
  usageSession,
} from '../core/index.js';
import { glossQuestion, readQuestion } from '../keyword/index.js';
import { resolveSemanticQuery } from '../query.js';
import type { OpenState } from './open-state.js';
import type { SemanticMatch } from './rank-candidates.js';
import { MOST_CERTAIN } from './ranking/decision.js';
import type { UsedOptions } from './skill-search.js';

/**
 * The cosine from which another question is near, and that from which it counts in full. Of two requests with these
 * cosines the same tool is right for 40 and 84 of 100 (bench/README.md, Learning from use).
 */
const NEAR = 0.5;
const SAME = 0.8;

/** A use counts half after so many seconds. */
const HALF_LIFE = 90 * 24 * 3600;

/**
 * The share of a skill's uses that must be for near questions for them to count, and to count in full. What is used for
 * everything says nothing about one question.
 */
const OWN_SHARE = 0.015;
const FULL_SHARE = 0.04;

/** The most places that a skill rises. */
const MOST_PLACES = 3;

/**
 * One session that used a skill for the same question makes it so many times as likely to be right, two twice as often
 * again; in all at most as many times as the second number says, so that what fits nowhere stays unlikely.
 */
const TIMES = 8;
const MOST_TIMES = 30;

/** What uses say of the skills of a question, by their ids: 0 to 1. */
export type UsageStrengths = ReadonlyMap<string, number>;

const NOTHING: UsageStrengths = new Map();

interface UseOfSkill {
  readonly skill: string;
  readonly session: string;
  readonly time: number;
  /** Of the question's vector, in bytes: how long it is. */
  readonly length: number;
}

/** The uses in the log of one catalogue whose questions one model has read. */
class Uses {
  #mark: UsageMark | undefined;
  #of: UseOfSkill[] = [];
  /** The vectors of their questions, one after the other. */
  #vectors: Int8Array = new Int8Array(0);
  /** When each session used a skill last, by skill. */
  readonly #sessions = new Map<string, Map<string, number>>();

  /** Reads what was appended to the log. */
  read(file: string, model: string, dimensions: number): void {
    const { entries, mark, isAll } = readUsageFile(file, this.#mark, 'used');
    this.#mark = mark;
    if (isAll) {
      this.#of = [];
      this.#sessions.clear();
    }
    for (const entry of entries) if (entry.model === model) this.#add(entry, dimensions);
  }

  #add({ vector = '', skills, session, time }: UsageEntry, dimensions: number): void {
    const bytes = new Int8Array(Buffer.from(vector, 'base64'));
    const length = Math.sqrt(dot(bytes, 0, bytes));
    if (bytes.length !== dimensions || length === 0) return;
    for (const skill of skills) {
      const at = this.#of.push({ skill, session, time, length }) - 1;
      if (this.#vectors.length < (at + 1) * dimensions) {
        const grown = new Int8Array((2 * at + 16) * dimensions);
        grown.set(this.#vectors);
        this.#vectors = grown;
      }
      this.#vectors.set(bytes, at * dimensions);
      const sessions = this.#sessions.get(skill) ?? new Map<string, number>();
      this.#sessions.set(skill, sessions.set(session, Math.max(time, sessions.get(session) ?? 0)));
    }
  }

  /** @param vector of the question */
  strengths(vector: Float32Array): UsageStrengths {
    const now = Date.now() / 1000;
    const length = Math.sqrt(dot(vector, 0, vector));
    /** The weight of the nearest use of each session: a session counts once. */
    const near = new Map<string, Map<string, number>>();
    for (const [i, use] of this.#of.entries()) {
      const cosine = dot(this.#vectors, i * vector.length, vector) / (length * use.length);
      if (!(cosine > NEAR)) continue;
      const weight = Math.min(1, (cosine - NEAR) / (SAME - NEAR)) * recency(use.time, now);
      const sessions = near.get(use.skill) ?? new Map<string, number>();
      near.set(use.skill, sessions.set(use.session, Math.max(weight, sessions.get(use.session) ?? 0)));
    }
    if (near.size === 0) return NOTHING;
    const found = [...near].flatMap(([skill, sessions]) => {
      const support = sumOf(sessions.values());
      const all = sumOf(this.#sessions.get(skill)!.values(), (time) => recency(time, now));
      const own = Math.min(1, (support / all - OWN_SHARE) / (FULL_SHARE - OWN_SHARE));
      // The first session counts one half, and each after it half of what is left.
      return own > 0 ? [{ skill, strength: (1 - 2 ** -support) * own, vote: support * own }] : [];
    });
    const votes = sumOf(found, ({ vote }) => vote);
    return new Map(found.map(({ skill, strength, vote }) => [skill, (strength * vote) / votes]));
  }
}

function recency(time: number, now: number): number {
  return 2 ** (-Math.max(0, now - time) / HALF_LIFE);
}

function dot(a: ArrayLike<number>, from: number, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < b.length; i++) sum += a[from + i]! * b[i]!;
  return sum;
}

function sumOf<T>(values: Iterable<T>, of: (value: T) => number = Number): number {
  let sum = 0;
  for (const value of values) sum += of(value);
  return sum;
}

/** What was read of the logs of this process, by file. */
const READ = new Map<string, { readonly uses: Uses; readonly of: string; state: string }>();

/**
 * What the log of a catalogue says of the skills of a question. The log is read when it is first there, and then what
 * was appended. Never fails: of a log that cannot be read nothing is known.
 *
 * @param vector of the question
 * @param model that has read it
 */
export function usageStrengths(database: string, vector: Float32Array, model: string): UsageStrengths {
  const file = usageFile(database);
  const facts = statSync(file, { throwIfNoEntry: false });
  if (facts === undefined || isUsageOff()) {
    READ.delete(file);
    return NOTHING;
  }
  try {
    const of = `${model} ${vector.length}`;
    let read = READ.get(file);
    if (read?.of !== of) read = { uses: new Uses(), of, state: '' };
    READ.set(file, read);
    const state = `${facts.ino} ${facts.size} ${facts.mtimeMs}`;
    if (read.state !== state) read.uses.read(file, model, vector.length);
    read.state = state;
    return read.uses.strengths(vector);
  } catch {
    return NOTHING;
  }
}

/** @param score a probability of at most {@link MOST_CERTAIN} */
function liftedBy(strength: number, score: number): number {
  if (strength === 0 || score >= MOST_CERTAIN) return score;
  const odds = (score / (MOST_CERTAIN - score)) * Math.min(MOST_TIMES, TIMES ** -Math.log2(1 - strength));
  return (MOST_CERTAIN * odds) / (1 + odds);
}

/**
 * Hits in the order that uses give them. Uses make a hit more likely to be right, and it rises above those with lower
 * scores: {@link MOST_PLACES} at most, and none with a better name.
 *
 * @param hits in their order
 */
export function raiseUsed(hits: readonly SemanticMatch[]): readonly SemanticMatch[] {
  const raised: SemanticMatch[] = [];
  for (const [from, hit] of hits.entries()) {
    const { parts, usage: strength, nameRank } = hit;
    // Scores of names have ranges of their own.
    const lifted = nameRank > 0 ? hit.score : liftedBy(strength, hit.score);
    const isBelow = (other: SemanticMatch): boolean => other.nameRank === nameRank && other.score < lifted;
    let at = from;
    while (strength > 0 && at > 0 && from - at < MOST_PLACES && isBelow(raised[at - 1]!)) at -= 1;
    const score = Math.min(lifted, raised[at - 1]?.score ?? 1);
    const usage = { strength, places: from - at };
    const explained = strength === 0 ? parts : () => ({ ...parts(), usage });
    raised.splice(at, 0, { ...hit, score, parts: explained });
  }
  return raised;
}

const USED_OPTIONS = namesOf<UsedOptions>({ question: true, session: true });

/** Of a program that names no sessions. */
const ONE_SESSION = `${process.pid} ${performance.timeOrigin}`;

/** Notes that a skill was used; see `SkillSearch.used`. */
export async function noteUse(state: OpenState, id: string, options: UsedOptions): Promise<void> {
  const [skill] = checkIds([id]);
  checkOptions(options, USED_OPTIONS);
  checkText('session', options.session);
  const { q } = resolveSemanticQuery({ q: options.question });
  const { reader, database, how, closing } = state;
  if (!how.usage || isUsageOff() || database === undefined || reader.documentOf(skill!) === undefined) return;
  const vectors = await state.vectors();
  const question = readQuestion(q, how.stopWords);
  const gloss = how.gloss ? glossQuestion(q, question, how.stopWords) : undefined;
  const embedded = await vectors.embed(question, { gloss, signal: closing }).whole;
  const vector = packVector(embedded.vector);
  const session = usageSession(options.session ?? ONE_SESSION);
  const time = Math.floor(Date.now() / 1000);
  appendUsage(database, { time, host: 'library', session, kind: 'used', skills: [id], vector, model: vectors.model });
}
