import { isDamage } from '../errors.js';
import { readIds } from '../evaluation/corpus-rows.js';
import { randomNumbers } from '../evaluation/random-numbers.js';
import type { DocumentNumber } from '../numbers.js';
import { openCatalogue } from '../search/open-catalogue.js';
import type { OpenState } from '../search/open-state.js';
import { embeddedText } from '../semantic/embedded-text.js';
import type { Skill } from '../skill.js';
import { fnv1a } from '../text/fnv1a.js';
import { CopyGroups } from './copy-groups.js';
import { drawNegatives, drawSome, HardNegatives, type Neighbours } from './hard-negatives.js';
import { type PairOptions, type ResolvedPairOptions, resolvePairOptions } from './pair-options.js';
import { PairCounts, type PairReport } from './pair-report.js';
import { PhraseCounter } from './phrase-counter.js';
import { phraseKey } from './phrase-text.js';
import { readRequests, type WrittenRequest } from './read-requests.js';
import { languageOfPhrase, type Phrase, skillPhrases } from './skill-phrases.js';
import { PAIR_KINDS, type TrainingPair } from './training-pair.js';

/** Groups of copies, or requests, that are read in one turn of the event loop: some dozens of milliseconds. */
const READ_A_TURN = 32;

/**
 * Makes pairs of a text and the skill that it asks for out of a catalogue, without labels: requests that were written,
 * then what skills say of themselves. Reads the catalogue twice and holds one skill in memory, beside the requests and
 * some dozens of bytes for each phrase. Where only requests are wanted, only their skills are read.
 *
 * - A phrase that more than three skills have is left out; copies of a skill give it once.
 * - Skills that are held out, and their copies, give nothing and are no negatives.
 * - The same options and catalogue make the same pairs in the same order; what a skill gives depends on no other skill
 *   but for the frequency of phrases.
 *
 * @returns the report, as the value of the generator
 * @throws {SkillSearchError} `INVALID_OPTION`; `SOURCE_NOT_FOUND`, `INVALID_SOURCE` for a list that cannot be read;
 *   with negatives what `warmUp` throws (`NO_VECTORS`, `MODEL_MISMATCH`, …); what `openSkillSearch` throws
 * @throws the signal's reason when aborted
 * @example
 * import { minePairs } from 'skill-discovery/tuning';
 *
 * for await (const { text, skill } of minePairs({ database: 'skills.db' })) console.log(text, skill);
 */
export async function* minePairs(options: PairOptions): AsyncGenerator<TrainingPair, PairReport> {
  const resolved = resolvePairOptions(options);
  const { opening, model, embedder, signal, without, requests } = resolved;
  const omitted = without === undefined ? new Set<string>() : await readIds(without);
  const state = await openCatalogue({ ...opening, keywordIndex: false, model, embedder, signal });
  try {
    const mine = new PairMine(state, resolved);
    mine.holdOut(omitted);
    if (resolved.negatives > 0) await mine.openNegatives();
    if (requests !== undefined && resolved.kinds.has('request')) yield* mine.requests(requests);
    if (resolved.kinds.has('request') && resolved.kinds.size === 1) return mine.report();
    await mine.countPhrases();
    yield* mine.pairs();
    return mine.report();
  } finally {
    await state.close();
  }
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

/** A catalogue that pairs are made of. */
class PairMine {
  readonly #state: OpenState;
  readonly #options: ResolvedPairOptions;
  readonly #groups: CopyGroups;
  readonly #heldOut = new Set<DocumentNumber>();
  readonly #counter = new PhraseCounter();
  readonly #counts: PairCounts;
  #negatives: HardNegatives | undefined;

  constructor(state: OpenState, options: ResolvedPairOptions) {
    this.#state = state;
    this.#options = options;
    this.#groups = new CopyGroups(state.reader);
    this.#counts = new PairCounts(options.sample, randomNumbers(options.seed));
  }

  /** Leaves out skills with all their copies. */
  holdOut(ids: ReadonlySet<string>): void {
    const { reader } = this.#state;
    for (const id of ids) {
      const document = documentOf(reader, id);
      if (document === undefined) this.#counts.unknownIds += 1;
      else this.#heldOut.add(this.#groups.of(document));
    }
    for (let document = 0; document < reader.columns.size; document++) {
      if (this.#heldOut.has(this.#groups.of(document))) this.#counts.heldOut += 1;
    }
  }

  async openNegatives(): Promise<void> {
    const vectors = await this.#state.vectors();
    this.#negatives = new HardNegatives(vectors, this.#groups, this.#heldOut, this.#options.nearestTo);
  }

  /** The pairs of requests that were written, in the order of their file. */
  async *requests(path: string): AsyncGenerator<TrainingPair> {
    const { reader } = this.#state;
    const { requests: leftOut } = this.#counts;
    const taken = new Set<string>();
    const { signal, onProgress } = this.#options;
    const written: WrittenRequest[] = [];
    for await (const request of readRequests(path)) written.push(request);
    const total = written.length;
    for (const [n, { skill: id, request, language, english }] of written.entries()) {
      if (n % READ_A_TURN === 0) {
        signal?.throwIfAborted();
        if (n > 0) onProgress({ phase: 'requests', done: n, total });
        await new Promise(setImmediate);
      }
      const document = documentOf(reader, id);
      if (document === undefined || reader.damaged.has(document)) {
        leftOut.unknown += 1;
        continue;
      }
      const group = this.#groups.of(document);
      const key = `${group} ${phraseKey(request) || request}`;
      if (this.#heldOut.has(group)) leftOut.heldOut += 1;
      else if (taken.has(key)) leftOut.repeated += 1;
      else {
        taken.add(key);
        const { name, description } = reader.skill(document);
        const pair: TrainingPair = {
          text: request,
          skill: id,
          document: embeddedText(name, description),
          kind: 'request',
          language,
          ...(english === undefined ? {} : { english }),
        };
        const random = this.#randomOf(request);
        yield this.#note(await this.#withNegatives(pair, document, new Set([group]), random), group);
      }
    }
    onProgress({ phase: 'requests', done: total, total });
  }

  /** Finds in how many skills each phrase occurs. */
  async countPhrases(): Promise<void> {
    for await (const { group, phrases } of this.#read('counting')) {
      for (const { key } of phrases) this.#counter.add(key, group);
    }
    this.#counts.phrases = this.#counter.size;
  }

  /** The pairs of what skills say of themselves. */
  async *pairs(): AsyncGenerator<TrainingPair> {
    const { kinds, perSkill } = this.#options;
    for await (const { group, phrases, first } of this.#read('writing')) {
      const random = this.#randomOf(first.skill.id);
      const wanted = phrases.filter(({ kind }) => kinds.has(kind));
      const kept = wanted.filter(({ key }) => this.#counter.groupsOf(key) !== undefined);
      this.#counts.frequent += wanted.length - kept.length;
      const neighbours = new Map<DocumentNumber, Neighbours | undefined>();
      for (const kind of PAIR_KINDS) {
        const ofKind = kept.filter((phrase) => phrase.kind === kind);
        for (const { text, document, key, copy } of drawSome(ofKind, perSkill, random)) {
          const { id, description } = copy.skill;
          const pair = { text, skill: id, document, kind, language: languageOfPhrase(text, description) };
          const holders = new Set(this.#counter.groupsOf(key));
          yield this.#note(await this.#withNegatives(pair, copy.document, holders, random, neighbours), group);
        }
      }
    }
  }

  report(): PairReport {
    const warnings = this.#state.problems.warnings.map(({ message }) => message);
    return { ...this.#counts.report(), warnings };
  }

  #note(pair: TrainingPair, group: DocumentNumber): TrainingPair {
    this.#counts.add(pair, group);
    return pair;
  }

  /** @param known neighbours that were looked for already, where they depend on the skill only */
  async #withNegatives(
    pair: TrainingPair,
    document: DocumentNumber,
    holders: ReadonlySet<DocumentNumber>,
    random: () => number,
    known = new Map<DocumentNumber, Neighbours | undefined>(),
  ): Promise<TrainingPair> {
    const negatives = this.#negatives;
    if (negatives === undefined) return pair;
    let neighbours = known.get(document);
    if (!known.has(document) || negatives.dependOnText) {
      neighbours = await negatives.neighbours(document, pair.text, this.#options.signal);
      known.set(document, neighbours);
    }
    if (neighbours === undefined) return { ...pair, negatives: [] };
    const drawn = drawNegatives(neighbours, this.#options.negatives, holders, random);
    const { reader } = this.#state;
    const ids = drawn.map((other) => reader.idOrUndefined(this.#groups.preferredOf(other)));
    // One that is damaged has no id.
    return { ...pair, negatives: ids.filter((id) => id !== undefined) };
  }

  /** All groups that are not held out, with the phrases of their skills; a phrase of several copies once. */
  async *#read(phase: 'counting' | 'writing'): AsyncGenerator<{
    readonly group: DocumentNumber;
    readonly first: ReadSkill;
    readonly phrases: readonly FoundPhrase[];
  }> {
    const { signal, onProgress } = this.#options;
    const total = this.#groups.count;
    for (let begin = 0; begin < total; begin += READ_A_TURN) {
      signal?.throwIfAborted();
      const end = Math.min(total, begin + READ_A_TURN);
      for (let n = begin; n < end; n++) {
        const documents = this.#groups.documents(n);
        const group = this.#groups.of(documents[0]!);
        if (this.#heldOut.has(group)) continue;
        const skills = this.#skillsOf(documents, phase === 'counting');
        if (skills[0] !== undefined) yield { group, first: skills[0], phrases: phrasesOf(skills) };
      }
      onProgress({ phase, done: end, total });
      await new Promise(setImmediate);
    }
  }

  /** @param count whether damaged skills are counted */
  #skillsOf(documents: Uint32Array, count: boolean): ReadSkill[] {
    const { reader } = this.#state;
    const skills: ReadSkill[] = [];
    for (const document of documents) {
      try {
        const [skill, files] = reader.reading(() => [reader.skill(document), reader.texts(document)] as const);
        const file = files.find(({ filename }) => /^skill\.md$/i.test(filename)) ?? files[0];
        skills.push({ document, skill, file: file?.text ?? '' });
      } catch (error) {
        if (!isDamage(error)) throw error;
        if (count) this.#counts.damaged += 1;
      }
    }
    return skills;
  }

  /** Numbers that depend on the seed and a text only. */
  #randomOf(text: string): () => number {
    return randomNumbers((fnv1a(text) ^ this.#options.seed) >>> 0);
  }
}

function phrasesOf(skills: readonly ReadSkill[]): FoundPhrase[] {
  const taken = new Set<string>();
  const found: FoundPhrase[] = [];
  for (const copy of skills) {
    for (const phrase of skillPhrases(copy.skill, copy.file)) {
      const key = phraseKey(phrase.text);
      if (taken.has(key)) continue;
      taken.add(key);
      found.push({ ...phrase, key, copy });
    }
  }
  return found;
}

/** @returns undefined if there is no such skill, or it is damaged */
function documentOf(reader: OpenState['reader'], id: string): DocumentNumber | undefined {
  try {
    return reader.documentOf(id);
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}
