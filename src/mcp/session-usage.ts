import { randomUUID } from 'node:crypto';
import { packVector, type UsageEntry, usageSession } from '../core/index.js';
import { catalogueSearchOf, type SkillSearch } from '../search/index.js';

/** A question, as the log of use has it. */
type Question = Pick<UsageEntry, 'vector' | 'model'>;

/** Skills of one answer that are noted: those behind are seldom looked at. */
const MOST_NOTED = 10;

/** Notes what the client of one process was shown, and what it loaded of that. */
export class SessionUsage {
  readonly #session: string = usageSession(randomUUID());
  #shown: readonly string[] = [];
  #question: Question = {};

  /** @param vector of the question; undefined for a search by words */
  noteShown(
    search: SkillSearch,
    skills: readonly string[],
    { vector, model }: { readonly vector?: Float32Array | undefined; readonly model?: string | undefined },
  ): void {
    this.#shown = skills;
    this.#question = vector === undefined || model === undefined ? {} : { vector: packVector(vector), model };
    this.#note(search, 'shown', skills.slice(0, MOST_NOTED), this.#question);
  }

  /** Of a skill that the last search has not shown, nothing is known of what it is for. */
  noteUsed(search: SkillSearch, skill: string): void {
    this.#note(search, 'used', [skill], this.#shown.includes(skill) ? this.#question : {});
  }

  #note(search: SkillSearch, kind: UsageEntry['kind'], skills: readonly string[], question: Question): void {
    const entry = { host: 'mcp', session: this.#session, kind, skills, ...question };
    catalogueSearchOf(search).noteUsage(entry);
  }
}
