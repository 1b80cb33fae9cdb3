import { checkFlag, checkInteger, checkOptions, checkText, invalidArgument, namesOf, optionOf } from '../core/index.js';
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
import { countsOf, facetValues, labelCounts, pageOf, statsOf } from './facets.js';
import { addLocalPaths, copyIds } from './hits.js';
import { searchByKeywords, searchRecordsByKeywords, suggestQuestions, wordCandidates } from './keyword-search.js';
import { listSkills } from './list-skills.js';
import type { CurrentState, OpenState } from './open-state.js';
import type {
  CatalogueSearch,
  CompleteIdsPage,
  KeywordRecords,
  SemanticAnswer,
  SemanticOptions,
  SimilarOptions,
  SkillSearch,
  SuggestOptions,
  WarmUpOptions,
  WordCandidate,
} from './skill-search.js';

const COMPLETE_IDS_PAGE = namesOf<CompleteIdsPage>({ after: true, limit: true });
const WARM_UP_OPTIONS = namesOf<WarmUpOptions>({ otherLanguages: true });

/** The public methods of a search, over whichever state of its catalogue answers now. */
export class OpenedSearch implements CatalogueSearch {
  readonly #states: CurrentState<OpenState>;

  constructor(states: CurrentState<OpenState>) {
    this.#states = states;
  }

  get problems(): SkillSearch['problems'] {
    return this.#states.newest.problems;
  }

  keyword(query: KeywordQuery): KeywordResult {
    const state = this.#states.newest;
    const result = searchByKeywords(state, query);
    addLocalPaths(
      state,
      result.hits.map(({ skill }) => skill),
    );
    return result;
  }

  keywordRecords(query: ResolvedKeywordQuery): KeywordRecords {
    return searchRecordsByKeywords(this.#states.newest, query);
  }

  async semantic(query: SemanticQuery, options?: SemanticOptions): Promise<SemanticResult> {
    return (await this.semanticWithVector(query, options)).result;
  }

  semanticWithVector(query: SemanticQuery, options?: SemanticOptions): Promise<SemanticAnswer> {
    return this.#states.use(async (state) => {
      // Noted before anything is awaited: a reload that begins meanwhile must warm up the next state, too.
      if (query?.ranking !== 'words') state.wantVectors();
      const { searchByMeaning } = await import('./semantic-search.js');
      const answer = await searchByMeaning(state, query, options);
      addLocalPaths(
        state,
        answer.result.hits.map(({ skill }) => skill),
      );
      return answer;
    });
  }

  wordCandidates(query: SemanticQuery, limit: number): readonly WordCandidate[] {
    return wordCandidates(this.#states.newest, query, limit);
  }

  list(query: ListQuery = {}): ListResult {
    const state = this.#states.newest;
    const result = listSkills(state, query);
    addLocalPaths(
      state,
      result.hits.map(({ skill }) => skill),
    );
    return result;
  }

  similar(id: string, options?: SimilarOptions): Promise<SimilarSkill[]> {
    return this.#states.use(async (state) => {
      const { findSimilar } = await import('./semantic-search.js');
      const found = await findSimilar(state, id, options);
      addLocalPaths(
        state,
        found.map(({ skill }) => skill),
      );
      return found;
    });
  }

  suggest(text: string, options?: SuggestOptions): Suggestion[] {
    return suggestQuestions(this.#states.newest, text, options);
  }

  async warmUp(options: WarmUpOptions = {}): Promise<void> {
    checkOptions(options, WARM_UP_OPTIONS);
    checkFlag('otherLanguages', options.otherLanguages);
    await this.#states.use(async (state) => {
      const vectors = await state.vectors('now');
      if (options.otherLanguages === true) await state.untilClosed(vectors.loadOtherLanguages());
    });
  }

  get(id: string): SkillDetails | undefined {
    const state = this.#states.newest;
    const skill = state.reader.get(id);
    if (skill !== undefined) addLocalPaths(state, [skill]);
    return skill;
  }

  localPathsOf(id: string): Pick<SkillDetails, 'localPath' | 'installations'> {
    return this.#states.newest.reader.localPathsOf(id);
  }

  files(id: string): SkillFile[] {
    return this.#states.newest.reader.files(id);
  }

  filenames(id: string): string[] {
    return this.#states.newest.reader.filenames(id);
  }

  file(id: string, filename: string): SkillFile | undefined {
    return this.#states.newest.reader.file(id, filename);
  }

  contents(id: string): SkillContents | undefined {
    return this.#states.newest.reader.contents(id);
  }

  read(id: string, path: string): Uint8Array | undefined {
    return this.#states.newest.reader.read(id, path);
  }

  isComplete(id: string): boolean {
    return this.#states.newest.reader.isComplete(id);
  }

  completeIds(page: CompleteIdsPage): readonly string[] {
    checkOptions(page, COMPLETE_IDS_PAGE);
    const { after = '', limit } = page;
    checkText('after', after);
    const argument = optionOf('limit');
    const checked = checkInteger(argument, limit, 1, Number.MAX_SAFE_INTEGER);
    if (checked === undefined) throw invalidArgument(argument, 'an integer of at least 1', limit);
    return this.#states.newest.reader.completeIds(after, checked);
  }

  ids(): string[] {
    return this.#states.newest.reader.ids();
  }

  copiesOf(id: string, page?: number): string[] {
    const { reader } = this.#states.newest;
    const document = reader.documentOf(id);
    return document === undefined ? [] : copyIds(reader, document, ...pageOf(page));
  }

  categories(page?: number): LabelCount[] {
    const { reader } = this.#states.newest;
    return labelCounts(reader.columns.categories, page, reader.derivedCounts());
  }

  occupations(page?: number): LabelCount[] {
    return labelCounts(this.#states.newest.reader.columns.occupations, page);
  }

  authors(page?: number): AuthorCount[] {
    const { reader } = this.#states.newest;
    return reader.reading(() => countsOf(facetValues(reader, 'author'), page, (author, count) => ({ author, count })));
  }

  countAuthors(): number {
    return facetValues(this.#states.newest.reader, 'author').documentsOf.length;
  }

  agents(page?: number): AgentCount[] {
    return countsOf(facetValues(this.#states.newest.reader, 'agent'), page, (agent, count) => ({ agent, count }));
  }

  stats(): CatalogueStats {
    const { reader, copy } = this.#states.newest;
    return statsOf(reader, copy);
  }

  check(): void {
    this.#states.newest.reader.check();
  }

  close(): Promise<void> {
    return this.#states.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
