import { randomUUID } from 'node:crypto';
import { packVector, type UsageEntry, usageSession } from '../core/index.js';
import type { SemanticQuery } from '../query.js';
import type { SemanticHit, SemanticResult } from '../result.js';
import { catalogueSearchOf, type SemanticOptions, type SkillSearch } from '../search/index.js';

/** A question, as the log of use has it. */
type Question = Pick<UsageEntry, 'vector' | 'model'>;

/** Skills of one answer that are noted: those behind are seldom looked at. */
const MOST_NOTED = 10;

/** Notes what the client of one process was shown, and what it loaded of that. */
export class SessionUsage {
  readonly #session: string = usageSession(randomUUID());
  #shown: readonly string[] = [];
  #question: Question = {};

  /** As `semantic` of a search, whose answer is shown. */
  async semantic(search: SkillSearch, query: SemanticQuery, options: SemanticOptions): Promise<SemanticResult> {
    const { result, vector } = await catalogueSearchOf(search).semanticWithVector(query, options);
    const { hits, model } = result;
    this.noteShown(search, hits, vector && model !== undefined ? { vector: packVector(vector), model } : {});
    return result;
  }

  /** @param question left out for a search by words */
  noteShown(search: SkillSearch, hits: readonly Pick<SemanticHit, 'skill'>[], question: Question = {}): void {
    this.#shown = hits.map(({ skill }) => skill.id);
    this.#question = question;
    this.#note(search, 'shown', this.#shown.slice(0, MOST_NOTED), question);
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
