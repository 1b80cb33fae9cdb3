import { appendUsage, checkFlag, checkOptions, namesOf, type UsageEntry } from '../core/index.js';
import type { KeywordQuery, ListQuery, ResolvedKeywordQuery, SemanticQuery } from '../query.js';
import type {
  AgentCount,
  AuthorCount,
  CatalogueStats,
  KeywordResult,
  LabelCount,
  ListResult,
  SemanticResult,
  SimilarSkill,
  Suggestion,
} from '../result.js';
import type { SkillContents, SkillDetails, SkillFile } from '../skill.js';
import type { CatalogueReader } from '../store/index.js';
import { countsOf, facetValues, labelCounts, pageOf, statsOf } from './facets.js';
import { addLocalPaths, copyIds } from './hits.js';
import { searchByKeywords, searchRecordsByKeywords, suggestQuestions, wordCandidates } from './keyword-search.js';
import { listSkills } from './list-skills.js';
import type { CurrentState, OpenState } from './open-state.js';
import type {
  CatalogueSearch,
  KeywordRecords,
  SemanticAnswer,
  SemanticOptions,
  SimilarOptions,
  SkillSearch,
  SuggestOptions,
  UsedOptions,
  WarmUpOptions,
  WordCandidate,
} from './skill-search.js';

const WARM_UP_OPTIONS = namesOf<WarmUpOptions>({ otherLanguages: true });

/** The public methods of a search, over whichever state of its catalogue answers now. */
export class OpenedSearch implements CatalogueSearch {
  readonly #states: CurrentState;

  constructor(states: CurrentState) {
    this.#states = states;
  }

  get #state(): OpenState {
    return this.#states.newest;
  }

  get #reader(): CatalogueReader {
    return this.#state.reader;
  }

  get problems(): SkillSearch['problems'] {
    return this.#state.problems;
  }

  keyword(query: KeywordQuery): KeywordResult {
    const result = searchByKeywords(this.#state, query);
    addLocalPaths(this.#state, result.hits);
    return result;
  }

  keywordRecords(query: ResolvedKeywordQuery): KeywordRecords {
    return searchRecordsByKeywords(this.#state, query);
  }

  async semantic(query: SemanticQuery, options?: SemanticOptions): Promise<SemanticResult> {
    return (await this.semanticWithVector(query, options)).result;
  }

  semanticWithVector(query: SemanticQuery, options?: SemanticOptions): Promise<SemanticAnswer> {
    return this.#states.use(async (state) => {
      // Noted before anything is awaited: a reload that begins meanwhile must warm up the next state, too.
      if (query?.ranking !== 'words') state.vectorsWanted = true;
      const { searchByMeaning } = await import('./semantic-search.js');
      const answer = await searchByMeaning(state, query, options);
      addLocalPaths(state, answer.result.hits);
      return answer;
    });
  }

  wordCandidates(query: SemanticQuery, limit: number): readonly WordCandidate[] {
    return wordCandidates(this.#state, query, limit);
  }

  list(query: ListQuery = {}): ListResult {
    const result = listSkills(this.#state, query);
    addLocalPaths(this.#state, result.hits);
    return result;
  }

  similar(id: string, options?: SimilarOptions): Promise<SimilarSkill[]> {
    return this.#states.use(async (state) => {
      const { findSimilar } = await import('./semantic-search.js');
      const found = await findSimilar(state, id, options);
      addLocalPaths(state, found);
      return found;
    });
  }

  suggest(text: string, options?: SuggestOptions): Suggestion[] {
    return suggestQuestions(this.#state, text, options);
  }

  async warmUp(options: WarmUpOptions = {}): Promise<void> {
    checkOptions(options, WARM_UP_OPTIONS);
    checkFlag('otherLanguages', options.otherLanguages);
    await this.#states.use(async (state) => {
      const vectors = await state.vectors('now');
      if (options.otherLanguages === true) await state.untilClosed(vectors.loadOtherLanguages());
    });
  }

  used(id: string, options: UsedOptions): Promise<void> {
    return this.#states.use(async (state) => {
      const { noteUse } = await import('./usage.js');
      await noteUse(state, id, options);
    });
  }

  noteUsage(entry: Omit<UsageEntry, 'time'>): void {
    const { database, how } = this.#state;
    if (!how.usage || database === undefined) return;
    appendUsage(database, { time: Math.floor(Date.now() / 1000), ...entry });
  }

  get(id: string): SkillDetails | undefined {
    const skill = this.#reader.get(id);
    if (skill !== undefined) addLocalPaths(this.#state, [{ skill }]);
    return skill;
  }

  localPathsOf(id: string): Pick<SkillDetails, 'localPath' | 'installations'> {
    return this.#reader.localPathsOf(id);
  }

  files(id: string): SkillFile[] {
    return this.#reader.files(id);
  }

  filenames(id: string): string[] {
    return this.#reader.filenames(id);
  }

  file(id: string, filename: string): SkillFile | undefined {
    return this.#reader.file(id, filename);
  }

  contents(id: string): SkillContents | undefined {
    return this.#reader.contents(id);
  }

  read(id: string, path: string): Uint8Array | undefined {
    return this.#reader.read(id, path);
  }

  isComplete(id: string): boolean {
    return this.#reader.isComplete(id);
  }

  completeIds({ after = '', limit }: Parameters<CatalogueSearch['completeIds']>[0]): readonly string[] {
    return this.#reader.completeIds(after, limit);
  }

  ids(): string[] {
    return this.#reader.ids();
  }

  copiesOf(id: string, page?: number): string[] {
    const [reader, [from, to]] = [this.#reader, pageOf(page)];
    const document = reader.documentOf(id);
    return document === undefined ? [] : copyIds(reader, document, from, to);
  }

  categories(page?: number): LabelCount[] {
    return labelCounts(this.#reader, 'category', page);
  }

  occupations(page?: number): LabelCount[] {
    return labelCounts(this.#reader, 'occupation', page);
  }

  authors(page?: number): AuthorCount[] {
    const reader = this.#reader;
    return reader.reading(() => countsOf(facetValues(reader, 'author'), page, (author, count) => ({ author, count })));
  }

  countAuthors(): number {
    return facetValues(this.#reader, 'author').documentsOf.length;
  }

  agents(page?: number): AgentCount[] {
    return countsOf(facetValues(this.#reader, 'agent'), page, (agent, count) => ({ agent, count }));
  }

  stats(): CatalogueStats {
    const { reader, copy } = this.#state;
    return statsOf(reader, copy);
  }

  check(): void {
    this.#reader.check();
  }

  close(): Promise<void> {
    return this.#states.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
