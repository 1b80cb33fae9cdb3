import { SkillSearchError } from '../../../index.js';
import type { PageAnswer, PageRequest } from '../frame/page-answer.js';
import { answerView, summaryOf } from './answer-view.js';
import { facetsView } from './facets-view.js';
import { findSkills } from './find-skills.js';
import { isAsked, parametersOf, questionOf, readForm } from './question-form.js';
import { welcomeView } from './welcome-view.js';

/** What the page shows below its box as somebody types. */
const SUGGESTIONS = 6;

/** What the script of the search page gets. The texts in `answer` and `facets` are HTML that is safe to show. */
interface PageSearchAnswer {
  /** The title of the document. */
  readonly title: string;
  /** The answer in a sentence. */
  readonly summary: string;
  readonly answer: string;
  readonly facets: string;
  readonly suggestions: readonly string[];
  /** Whether meaning may still change the answer: ask again without `quick` when the typing stops. */
  readonly unfinished: boolean;
}

/**
 * The route that the search page asks as somebody types: the fields of the form, and `quick=1` for an answer by words
 * at once, whatever the mode.
 */
export async function answerPageSearch(request: PageRequest): Promise<PageAnswer> {
  const { form, fault } = readForm(request.query);
  if (fault !== undefined) throw fault;
  const { base } = request;
  const quick = parametersOf(request.query).get('quick') === '1';
  const shared = { title: form.q ?? '', suggestions: form.q === undefined ? [] : suggestionsFor(form.q, request) };
  if (!isAsked(form)) {
    return sent({ ...shared, summary: '', answer: welcomeView(request).text, facets: '', unfinished: false });
  }
  const question = questionOf(form);
  await request.turn();
  const found = await findSkills(question, request, quick);
  return sent({
    ...shared,
    summary: summaryOf(found, form),
    answer: answerView(found, form, base).text,
    facets: facetsView(found, form, base).text,
    unfinished: quick && question.q !== '' && question.mode !== 'words',
  });
}

function sent(answer: PageSearchAnswer): PageAnswer {
  return { headers: { 'Content-Type': 'application/json; charset=utf-8' }, body: JSON.stringify(answer) };
}

/** None where the search cannot suggest: the answer is worth more than its suggestions. */
function suggestionsFor(q: string, { search, logFailure }: PageRequest): string[] {
  try {
    return search.suggest(q, { limit: SUGGESTIONS }).map(({ text }) => text);
  } catch (error) {
    // Without a keyword index it never can: not worth a line of the log for each letter.
    if (!(error instanceof SkillSearchError && error.code === 'SERVICE_UNAVAILABLE')) logFailure(error);
    return [];
  }
}
