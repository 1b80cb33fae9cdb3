import { hasCode } from '../../core/index.js';
import { SkillSearchError } from '../../index.js';
import { type Content, JSON_TYPE } from '../call.js';
import { answerView, facetsView, summaryOf, welcomeView } from './answer-view.js';
import { type Found, findSkills } from './find-skills.js';
import { type Html, html } from './html.js';
import { type PageRequest, renderPage } from './page.js';
import { FILTER_FIELDS, filterFields, howView, isAsked, questionOf, readForm, searchForm } from './question-form.js';

/** The search page. It answers a question itself, so that it works without its script, too. */
export async function showHome(request: PageRequest): Promise<Content> {
  const { form, fault } = readForm(request.query);
  try {
    if (fault !== undefined) throw fault;
    if (!isAsked(form)) return homePage(request, welcomeView(request));
    const found = await findSkills(questionOf(form), request);
    return homePage(request, answerView(found, form, request.base), found);
  } catch (error) {
    // What cannot be asked.
    const faults = /^(?:MISSING_QUERY|INVALID_QUERY|INVALID_PARAMETER)$/;
    if (!(error instanceof SkillSearchError && faults.test(error.code))) throw error;
    return homePage(request, faultView(error), undefined, 400);
  }
}

/** What was wrong, in the words of the error: it names the field, what was expected and what came. */
function faultView(error: SkillSearchError): Html {
  const isFilter = FILTER_FIELDS.some((field) => field === error.parameter);
  return html`<h1 class="hidden-text">Skills</h1><h2 class="summary">${isFilter ? 'Invalid filter' : 'Invalid search'}</h2>
<p class="notice"><bdi>${error.message}</bdi></p>`;
}

function homePage({ base, query }: PageRequest, answer: Html, found?: Found, status = 200): Content {
  const { form } = readForm(query);
  const main = html`<p id="status" class="hidden-text" role="status"></p>
<div id="notice" class="notice" role="alert" hidden></div>
<div class="columns">
${howView(form)}
<details class="filters"><summary>Filters</summary>
<h2>Filters</h2>
${filterFields(form)}
<div id="facets">${found !== undefined && facetsView(found, form, base)}</div>
</details>
<div id="answer">
${answer}
</div>
</div>`;
  return renderPage({
    status,
    title: form.q ?? '',
    description: 'Search a catalogue of agent skills by words and by meaning.',
    main,
    base,
    searchBox: searchForm(form, base),
    unlisted: isAsked(form),
  });
}

/** What the page shows below its box as somebody types. */
const SUGGESTIONS = 5;

/** The route that the search page asks as somebody types, with the fields of the form; see `PageAnswer` of the script. */
export async function answerPageSearch(request: PageRequest): Promise<Content> {
  const { form, fault } = readForm(request.query);
  if (fault !== undefined) throw fault;
  const { base } = request;
  const suggestions = form.q === undefined ? [] : suggestionsFor(form.q, request);
  if (isAsked(form)) await request.turn();
  const found = isAsked(form) ? await findSkills(questionOf(form), request) : undefined;
  const shown = {
    title: form.q ?? '',
    suggestions,
    // The answer in a sentence.
    summary: found === undefined ? '' : summaryOf(found, form),
    // HTML that is safe to show.
    answer: (found === undefined ? welcomeView(request) : answerView(found, form, base)).text,
    facets: found === undefined ? '' : facetsView(found, form, base).text,
  };
  return { headers: { 'Content-Type': JSON_TYPE }, body: JSON.stringify(shown), compressed: true };
}

/** None where the search cannot suggest: the answer is worth more than its suggestions. */
function suggestionsFor(q: string, { search, logFailure }: PageRequest): string[] {
  try {
    return search.suggest(q, { limit: SUGGESTIONS }).map(({ text }) => text);
  } catch (error) {
    // Without a keyword index it never can: not worth a line of the log for each letter.
    if (!hasCode(error, 'SERVICE_UNAVAILABLE')) logFailure(error);
    return [];
  }
}
