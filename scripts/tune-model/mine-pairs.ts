// Makes pairs of a text and the skill that it asks for out of a catalogue, to train a model on; see README.md.
//
//     npx tsx scripts/tune-model/mine-pairs.ts --database skills.db --without held-out.txt --negatives 7 > pairs.jsonl
//
// The same options and catalogue make the same pairs in the same order.
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import type { DocumentNumber } from '../../src/core/index.js';
import { fnv1a, isDamage } from '../../src/core/index.js';
import { faultIn, readId, readObjects } from '../../src/evaluation/benchmark.js';
import { randomNumbers } from '../../src/evaluation/compare.js';
import { readIds } from '../../src/evaluation/corpus.js';
import { openCatalogue } from '../../src/search/open-catalogue.js';
import { embeddedText } from '../../src/semantic/skill-texts.js';
import type { Skill } from '../../src/skill.js';
import { CopyGroups, drawNegatives, drawSome, HardNegatives, type Neighbours } from './negatives.js';
import { languageOfPhrase, PAIR_KINDS, type PairKind, type Phrase, phraseKey, skillPhrases } from './phrases.js';

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'skills.db' },
    // Ids of skills to hold out, with their copies, one a line.
    without: { type: 'string' },
    // Requests that people wrote: JSON Lines of `skill`, `request`, `language` and `english`.
    requests: { type: 'string' },
    kind: { type: 'string', multiple: true },
    // Pairs of each kind that a skill gives.
    'per-skill': { type: 'string', default: '2' },
    negatives: { type: 'string', default: '0' },
    'nearest-to': { type: 'string', default: 'skill' },
    model: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});

/** A phrase of more skills says nothing about one of them. */
const MOST_SKILLS = 3;

/** A text and the skill that it asks for; README.md says what each field is. */
interface TrainingPair {
  readonly text: string;
  readonly skill: string;
  readonly document: string;
  readonly kind: PairKind;
  readonly language: string;
  readonly english?: string;
  readonly negatives?: readonly string[];
}

/** A skill and its first file. */
interface ReadSkill {
  readonly document: DocumentNumber;
  readonly skill: Skill;
  readonly file: string;
}

/** A phrase and the skill of a group that it is of. */
interface FoundPhrase extends Phrase {
  readonly key: string;
  readonly copy: ReadSkill;
}

const kinds = new Set(values.kind ?? PAIR_KINDS);
for (const kind of kinds) {
  if (!(PAIR_KINDS as readonly string[]).includes(kind)) {
    throw new Error(`--kind must be one of ${PAIR_KINDS.join(', ')}, got ${kind}`);
  }
}
const nearestTo = values['nearest-to'];
if (nearestTo !== 'skill' && nearestTo !== 'text') {
  throw new Error(`--nearest-to must be skill or text, got ${nearestTo}`);
}
const perSkill = wholeNumber('per-skill', 1, 100);
const negatives = wholeNumber('negatives', 0, 30);
const seed = wholeNumber('seed', 0, 0xffffffff);

const omitted = values.without === undefined ? new Set<string>() : await readIds(values.without);
const { database, model } = values;
const state = await openCatalogue({ database, ...(model === undefined ? {} : { model }) });
const { reader } = state;
const groups = new CopyGroups(reader);
const heldOut = new Set<DocumentNumber>();
/** Pairs by kind, and what gave none by its reason. */
const counts: Record<string, number> = {};
for (const id of omitted) {
  const document = documentOf(id);
  if (document === undefined) count('ids to hold out that the catalogue lacks');
  else heldOut.add(groups.of(document));
}
const hard = negatives === 0 ? undefined : new HardNegatives(await state.vectors(), groups, heldOut, nearestTo);

if (values.requests !== undefined && kinds.has('request')) await writeRequests(values.requests);
if (!kinds.has('request') || kinds.size > 1) await writePhrases();
await state.close();
for (const [what, number] of Object.entries(counts)) console.error(`${what}: ${number.toLocaleString('en')}`);

/** Writes the pairs of requests that people wrote, in the order of their file. */
async function writeRequests(path: string): Promise<void> {
  const taken = new Set<string>();
  for await (const [row, line] of readObjects(path)) {
    const [skill, text, language] = [readId(row['skill']), row['request'], row['language']];
    if (skill === undefined || typeof text !== 'string' || typeof language !== 'string') {
      throw faultIn(path, line, 'expected a request: an object with the texts `skill`, `request` and `language`');
    }
    const document = documentOf(skill);
    if (document === undefined || reader.damaged.has(document)) {
      count('requests for skills that the catalogue lacks');
      continue;
    }
    const group = groups.of(document);
    const key = `${group} ${phraseKey(text) || text}`;
    if (heldOut.has(group)) count('requests for skills that are held out');
    else if (taken.has(key)) count('requests that are repeated');
    else {
      taken.add(key);
      const { name, description } = reader.skill(document);
      const english = typeof row['english'] === 'string' ? { english: row['english'] } : {};
      await write(
        {
          text: text.trim(),
          skill,
          document: embeddedText(name, description),
          kind: 'request',
          language: language.toLowerCase(),
          ...english,
        },
        document,
        new Set([group]),
        randomOf(text),
      );
    }
  }
}

/** Writes the pairs of what skills say of themselves. Reads all skills twice: first to count their phrases. */
async function writePhrases(): Promise<void> {
  const holders = new Map<string, DocumentNumber[]>();
  for (const { group, phrases } of groupsWithPhrases()) {
    for (const { key } of phrases) {
      const known = holders.get(key);
      if (known === undefined) holders.set(key, [group]);
      // One more than is allowed says enough.
      else if (known.length <= MOST_SKILLS) known.push(group);
    }
  }
  for (const { phrases, first } of groupsWithPhrases()) {
    const random = randomOf(first.skill.id);
    const wanted = phrases.filter(({ kind }) => kinds.has(kind));
    const kept = wanted.filter(({ key }) => holders.get(key)!.length <= MOST_SKILLS);
    count(`texts that more than ${MOST_SKILLS} skills have`, wanted.length - kept.length);
    const neighbours = new Map<DocumentNumber, Neighbours | undefined>();
    for (const kind of PAIR_KINDS) {
      const ofKind = kept.filter((phrase) => phrase.kind === kind);
      for (const { text, document, key, copy } of drawSome(ofKind, perSkill, random)) {
        const { id, description } = copy.skill;
        const pair = { text, skill: id, document, kind, language: languageOfPhrase(text, description) };
        await write(pair, copy.document, new Set(holders.get(key)), random, neighbours);
      }
    }
  }
}

/** @param known neighbours that were looked for already, where they depend on the skill only */
async function write(
  pair: TrainingPair,
  document: DocumentNumber,
  holders: ReadonlySet<DocumentNumber>,
  random: () => number,
  known = new Map<DocumentNumber, Neighbours | undefined>(),
): Promise<void> {
  let written = pair;
  if (hard !== undefined) {
    let neighbours = known.get(document);
    if (!known.has(document) || hard.dependOnText) {
      neighbours = await hard.neighbours(document, pair.text);
      known.set(document, neighbours);
    }
    const drawn = neighbours === undefined ? [] : drawNegatives(neighbours, negatives, holders, random);
    // One that is damaged has no id.
    const ids = drawn.map((other) => reader.idOrUndefined(groups.preferredOf(other))).filter((id) => id !== undefined);
    written = { ...pair, negatives: ids };
  }
  count(pair.kind);
  if (!process.stdout.write(`${JSON.stringify(written)}\n`)) await once(process.stdout, 'drain');
}

/** All groups of copies that are not held out, with the phrases of their skills; a phrase of several copies once. */
function* groupsWithPhrases(): Generator<{
  readonly group: DocumentNumber;
  readonly first: ReadSkill;
  readonly phrases: readonly FoundPhrase[];
}> {
  for (let n = 0; n < groups.count; n++) {
    const documents = groups.documents(n);
    const group = groups.of(documents[0]!);
    if (heldOut.has(group)) continue;
    const skills = [...documents].map(skillOf).filter((skill) => skill !== undefined);
    if (skills[0] !== undefined) yield { group, first: skills[0], phrases: phrasesOf(skills) };
  }
}

/** @returns undefined if the skill is damaged */
function skillOf(document: DocumentNumber): ReadSkill | undefined {
  return unlessDamaged(() => {
    const [skill, files] = reader.reading(() => [reader.skill(document), reader.texts(document)] as const);
    const file = files.find(({ filename }) => /^skill\.md$/i.test(filename)) ?? files[0];
    return { document, skill, file: file?.text ?? '' };
  });
}

function phrasesOf(skills: readonly ReadSkill[]): FoundPhrase[] {
  const found = new Map<string, FoundPhrase>();
  for (const copy of skills) {
    for (const phrase of skillPhrases(copy.skill, copy.file)) {
      const key = phraseKey(phrase.text);
      if (!found.has(key)) found.set(key, { ...phrase, key, copy });
    }
  }
  return [...found.values()];
}

/** @returns undefined if there is no such skill, or it is damaged */
function documentOf(id: string): DocumentNumber | undefined {
  return unlessDamaged(() => reader.documentOf(id));
}

function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** Numbers that depend on the seed and a text only. */
function randomOf(text: string): () => number {
  return randomNumbers((fnv1a(text) ^ seed) >>> 0);
}

function count(what: string, number = 1): void {
  counts[what] = (counts[what] ?? 0) + number;
}

function wholeNumber(option: 'per-skill' | 'negatives' | 'seed', min: number, max: number): number {
  const value = Number(values[option]);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new Error(`--${option} must be an integer from ${min} to ${max}, got ${values[option]}`);
}
