import type { FeatureShare, RankingFeature, ScoredField, Snippet } from '../../../index.js';
import { type Html, html } from '../frame/html.js';
import { languageAttributes } from '../frame/language-attributes.js';
import { linkTo, PAGE_PATHS } from '../frame/page-paths.js';
import { shownLine } from '../frame/safe-text.js';
import { beginningOf, counted, marked, placesOf, shownDate, shownNumber } from '../frame/shown-text.js';
import type { FoundHit } from './find-skills.js';
import { categoryName } from './label-names.js';
import type { QuestionForm } from './question-form.js';
import { linkToSkillFrom } from './way-back.js';

const SHOWN_DESCRIPTION = 220;
/** Categories and terms of a hit that are shown: a hostile skill may have a hundred of each. */
const SHOWN_LABELS = 4;
const SHOWN_TERMS = 8;
const SHOWN_FEATURES = 5;
/** Smaller parts of a score explain nothing. */
const LEAST_SHARE = 0.03;
/** Pixels of a bar that is full, as the style sheet has it. */
const BAR = 80;

const FEATURE_NAMES: Readonly<Record<RankingFeature, string>> = {
  cosine: 'meaning',
  sentence: 'meaning of a sentence',
  feedback: 'nearness to the best',
  words: 'words',
  name: 'words in the name',
  author: 'words in the author',
  labels: 'words in the labels',
  description: 'words in the description',
  files: 'words in the files',
  coverage: 'share of the words',
  fileText: 'length of its text',
  stars: 'stars',
};

const FIELD_NAMES: Readonly<Record<ScoredField, string>> = {
  name: 'name',
  author: 'author',
  labels: 'labels',
  description: 'description',
  files: 'files',
};

/**
 * One skill of an answer or a list.
 *
 * @param base the path of the public URL
 * @param form what was asked: the link to the skill carries it, so that its page can lead back
 */
export function hitView(hit: FoundHit, base: string, form: QuestionForm): Html {
  const { skill, score, snippet, matches } = hit;
  const name = shownLine(skill.name) || skill.id;
  const why = reasons(hit);
  return html`<li class="hit"><article>
<h3${languageAttributes(name)}><a href="${linkToSkillFrom(base, skill.id, form)}">${marked(name, placesOf(name, matches?.name ?? []))}</a></h3>
${score !== undefined && scoreView(score)}<p class="facts">${factsOf(hit, base)}</p>
${excerpt(skill.description, snippet)}
${labels(hit, base)}${why !== undefined && html`<details class="why"><summary>Why this</summary>${why}</details>`}</article></li>
`;
}

function factsOf({ skill: { author, stars, updatedAt }, copies }: FoundHit, base: string): readonly (Html | false)[] {
  const updated = shownDate(updatedAt);
  const byAuthor = linkTo(base, PAGE_PATHS.home, { author });
  const others = counted(copies - 1, 'more copy', 'more copies');
  return [
    author !== 'unknown' && html`<a href="${byAuthor}"><bdi>${shownLine(author) || author}</bdi></a> `,
    stars > 0 && html`<span>★ ${shownNumber(stars)}<span class="hidden-text"> stars</span></span> `,
    updated !== undefined && html`<span>${updated}</span> `,
    copies > 1 && html`<span class="copies">${others}</span>`,
  ];
}

function scoreView(score: number): Html {
  const percent = Math.round(score * 100);
  return html`<p class="score"><span class="hidden-text">Score </span>${percent} %${bar(score)}</p>`;
}

/** A path: the policy of the pages forbids styles in elements. All else is in the style sheet: an answer has many. */
function bar(share: number): Html {
  const width = Math.max(1, Math.round(Math.min(1, Math.abs(share)) * BAR));
  return html`<svg><path d="M0 3h${width}"/></svg>`;
}

/** The description, or the piece that shows why it was found; one of a file below the description. */
function excerpt(description: string, snippet: Snippet | undefined): Html {
  const plain = html`<p class="text"${languageAttributes(description)}>${beginningOf(description, SHOWN_DESCRIPTION)}</p>`;
  if (snippet === undefined || snippet.highlights.length === 0) return plain;
  const found = marked(snippet.text, snippet.highlights);
  const language = languageAttributes(snippet.text);
  if (snippet.field === 'description') return html`<p class="text"${language}>${found}</p>`;
  return html`${plain}<p class="text from-file"${language}><span class="file"><bdi>${shownLine(snippet.filename ?? '')}</bdi>:</span> ${found}</p>`;
}

function labels({ skill }: FoundHit, base: string): Html | undefined {
  const given = skill.categories.map((slug) => ({ slug, derived: false }));
  const derived = (skill.derivedCategories ?? []).map((slug) => ({ slug, derived: true }));
  const shown = [...given, ...derived].slice(0, SHOWN_LABELS);
  if (shown.length === 0) return undefined;
  return html`<ul class="chips" aria-label="Categories">${shown.map(({ slug, derived: isDerived }) => categoryChip(slug, isDerived, base))}</ul>`;
}

/** A category as a link to its skills. One that a classifier gave looks different, and says so. */
export function categoryChip(slug: string, isDerived: boolean, base: string): Html {
  const link = linkTo(base, PAGE_PATHS.home, { category: slug });
  return isDerived
    ? html`<li><a class="chip derived" href="${link}" title="Given by a classifier, not by the author">${categoryName(slug)}<span class="hidden-text"> (derived)</span></a></li>`
    : html`<li><a class="chip" href="${link}">${categoryName(slug)}</a></li>`;
}

function reasons({ matches, explain }: FoundHit): Html | undefined {
  const fields = Object.entries(matches ?? {}) as [ScoredField, readonly string[]][];
  const terms = fields.filter(([, words]) => words.length > 0);
  const features = (explain?.features ?? [])
    .filter(({ share }) => Math.abs(share) >= LEAST_SHARE)
    .slice(0, SHOWN_FEATURES);
  const nearness = explain?.features === undefined ? explain?.cosine : undefined;
  if (terms.length === 0 && features.length === 0 && nearness === undefined) return undefined;
  const parts = [
    nearness !== undefined && html`<dt>meaning</dt><dd>${bar(nearness)} cosine ${nearness.toFixed(2)}</dd>`,
    features.map(featureView),
    terms.map(([field, words]) => html`<dt>${FIELD_NAMES[field]}</dt><dd>${termsView(words)}</dd>`),
  ];
  return html`<dl>${parts}</dl>`;
}

function featureView({ feature, share }: FeatureShare): Html {
  const percent = `${share < 0 ? '−' : ''}${Math.round(Math.abs(share) * 100)} %`;
  return html`<dt>${FEATURE_NAMES[feature]}</dt><dd>${bar(share)} ${percent}</dd>`;
}

function termsView(words: readonly string[]): Html {
  return html`${words.slice(0, SHOWN_TERMS).join(' ')}${words.length > SHOWN_TERMS && ' …'}`;
}
