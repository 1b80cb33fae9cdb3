import { SkillSearchError } from '../../../index.js';
import { type Html, html } from '../frame/html.js';
import { renderPage } from '../frame/layout.js';
import type { PageAnswer, PageRequest } from '../frame/page-answer.js';
import { PAGE_HEADERS } from '../frame/page-headers.js';
import { answerView } from './answer-view.js';
import { facetsView } from './facets-view.js';
import { type Found, findSkills } from './find-skills.js';
import { isAsked, type QuestionForm, questionOf, readForm } from './question-form.js';
import { filterFields, searchForm } from './search-form.js';
import { welcomeView } from './welcome-view.js';

/** The search page. It answers a question itself, so that it works without its script, too. */
export async function showHome(request: PageRequest): Promise<PageAnswer> {
  const { form, fault } = readForm(request.query);
  if (fault !== undefined) return homePage(form, undefined, faultView(fault), request, 400);
  if (!isAsked(form)) return homePage(form, undefined, welcomeView(request), request);
  try {
    const found = await findSkills(questionOf(form), request, false);
    return homePage(form, found, answerView(found, form, request.base), request);
  } catch (error) {
    if (!isFault(error)) throw error;
    return homePage(form, undefined, faultView(error), request, 400);
  }
}

/** Whether somebody asked what cannot be asked. */
function isFault(error: unknown): error is SkillSearchError {
  return error instanceof SkillSearchError && /^(?:MISSING_QUERY|INVALID_QUERY|INVALID_PARAMETER)$/.test(error.code);
}

/** What was wrong, in the words of the error: it names the field, what was expected and what came. */
function faultView(error: SkillSearchError): Html {
  return html`<h2 class="summary">This cannot be asked</h2>
<p class="notice"><bdi>${error.message}</bdi></p>`;
}

function homePage(
  form: QuestionForm,
  found: Found | undefined,
  answer: Html,
  { base }: PageRequest,
  status = 200,
): PageAnswer {
  const main = html`<h1 class="lead">Find a skill for an agent</h1>
${searchForm(form, base)}
<p id="status" class="hidden-text" role="status"></p>
<div id="notice" class="notice" role="alert" hidden></div>
<div class="columns">
<details class="filters"><summary>Filters</summary>
<h2 class="hidden-text">Filters</h2>
${filterFields(form)}
<div id="facets">${found !== undefined && facetsView(found, form, base)}</div>
</details>
<div id="answer">
${answer}
</div>
</div>`;
  const body = renderPage({
    title: form.q ?? '',
    description: 'Search a catalogue of agent skills by words and by meaning.',
    main,
    base,
    current: 'Search',
    searchBox: false,
    unlisted: isAsked(form),
  });
  return { status, headers: PAGE_HEADERS, body };
}
